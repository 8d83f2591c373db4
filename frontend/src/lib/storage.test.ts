import { describe, expect, it } from "vitest";
import { isOneOf, isStrings, openSlot } from "./storage";

function memory(start: Record<string, string>): Storage {
  const items = new Map(Object.entries(start));
  return {
    get length() { return items.size; },
    clear: () => { items.clear(); },
    key: (i) => [...items.keys()][i] ?? null,
    getItem: (key) => items.get(key) ?? null,
    removeItem: (key) => { items.delete(key); },
    setItem: (key, value) => { items.set(key, value); },
  };
}

describe("openSlot", () => {
  it("reads back what was written", () => {
    const area = memory({});
    openSlot(() => area, "k", [], isStrings).write(["a"]);
    expect(openSlot(() => area, "k", [], isStrings).read()).toEqual(["a"]);
  });

  it.each(["", "{", '"a"', "[1]"])("falls back on %j", (found) => {
    const area = memory({ k: found });
    expect(openSlot(() => area, "k", ["fallback"], isStrings).read()).toEqual(["fallback"]);
  });

  it("works without storage", () => {
    const slot = openSlot<"a" | "b">(() => { throw new Error("denied"); }, "k", "a", isOneOf(["a", "b"]));
    slot.write("b");
    expect(slot.read()).toBe("a");
  });
});
