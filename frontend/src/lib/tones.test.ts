import { describe, expect, it } from "vitest";
import { tonesOf } from "./tones";

describe("tonesOf", () => {
  it("gives a strategy the colour of its last stage", () => {
    expect(tonesOf(["vector", "bm25", "hybrid", "hybrid+rerank"])).toEqual(["vector", "bm25", "fusion", "rerank"]);
    expect(tonesOf(["hybrid+rerank", "vector"])).toEqual(["rerank", "vector"]);
  });
  it("gives no colour twice while there is another", () => {
    const tones = tonesOf(["hybrid", "union", "classic", "hybrid+rerank", "vector+rerank", "bm25"]);
    expect(new Set(tones).size).toBe(6);
    expect(tones[0]).toBe("fusion");
    expect(tones[3]).toBe("rerank");
    expect(tones[5]).toBe("bm25");
  });
  it("has a colour for each of many", () => {
    expect(tonesOf(Array.from({ length: 20 }, (_, i) => `run ${String(i)}`)).every((tone) => tone !== "")).toBe(true);
  });
});
