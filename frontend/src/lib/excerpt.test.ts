import { describe, expect, it } from "vitest";
import { excerpt } from "./excerpt";

const show = (text: string, terms: string[], places: number): string => {
  const points = Array.from(text);
  const marks = terms.flatMap((term) => {
    const length = Array.from(term).length;
    return points.flatMap((_, i) => (points.slice(i, i + length).join("") === term ? [{ start: i, end: i + length }] : []));
  });
  return excerpt(text, marks, places).map((s) => (s.marked ? `[${s.text}]` : s.text)).join("");
};

describe("excerpt", () => {
  it.each([
    ["all of a short text", "动态召回", ["召回"], 40, "动态[召回]"],
    ["the start when nothing is marked", "abcdefghij", [], 4, "abcd…"],
    ["the start when it shows as much", "a one b one", ["one"], 5, "a [one]…"],
    ["white space folded", "# Title\n\n  one\ttwo\n", ["one"], 40, "# Title [one] two"],
    ["Han counts double", "一二三四五六", [], 8, "一二三四…"],
    ["a stretch with more marks, from its sentence on", "First part. Then x and y here.", ["x", "y"], 12, "…Then [x] and [y]…"],
    ["from a word when no sentence is near", "aaaa bbbb cccc dddd eeee ffff X", ["X"], 18, "…dddd eeee ffff [X]"],
    ["emoji and rare Han", "😀𠮷野家", ["野家"], 40, "😀𠮷[野家]"],
    ["empty", "", [], 10, ""],
  ])("%s", (_, text, terms, places, want) => {
    expect(show(text, terms, places)).toBe(want);
  });

  it("never exceeds its width", () => {
    const text = "一段中文 with some English，夹杂 emoji 😀 与𠮷野家。".repeat(9);
    for (let places = 1; places < 60; places++) {
      const inner = excerpt(text, [{ start: 40, end: 44 }, { start: 90, end: 92 }], places).map((s) => s.text).join("").replace(/^…|…$/gu, "");
      expect(Array.from(inner).length).toBeLessThanOrEqual(places);
    }
  });
});
