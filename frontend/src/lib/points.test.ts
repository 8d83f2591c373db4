import { describe, expect, it } from "vitest";
import { countPoints, toUnits } from "./points";

describe("toUnits", () => {
  it.each([
    ["ASCII", "abcdef", 2, 4, "cd"],
    ["Han", "动态召回", 2, 4, "召回"],
    ["after an emoji", "😀 recall", 2, 8, "recall"],
    ["an emoji itself", "a😀b", 1, 2, "😀"],
    ["rare Han", "𠮷野家的牛丼", 1, 3, "野家"],
    ["rare Han itself", "去𠮷野家", 1, 2, "𠮷"],
    ["a family of joined emoji is several points", "👨‍👩‍👧x", 5, 6, "x"],
    ["combining marks", "e\u0301a", 2, 3, "a"],
    ["to the end", "𠮷😀", 1, 2, "😀"],
    ["past the end", "ab", 1, 99, "b"],
  ])("%s", (_, text, start, end, want) => {
    const [range] = toUnits(text, [{ start, end }]);
    expect(range && text.slice(range.start, range.end)).toBe(want);
  });

  it("agrees with Array.from on every range of a mixed text", () => {
    const text = "x𠮷😀é中👨‍👩‍👧z";
    const points = Array.from(text);
    for (let start = 0; start < points.length; start++) {
      for (let end = start + 1; end <= points.length; end++) {
        const [range] = toUnits(text, [{ start, end }]);
        expect(range && text.slice(range.start, range.end)).toBe(points.slice(start, end).join(""));
      }
    }
  });

  it("leaves out what covers nothing", () => {
    expect(toUnits("abc", [{ start: 2, end: 2 }, { start: 2, end: 1 }, { start: 9, end: 12 }])).toEqual([]);
  });

  it("keeps other fields", () => {
    expect(toUnits("𠮷a", [{ start: 1, end: 2, term: "a" }])).toEqual([{ start: 2, end: 3, term: "a" }]);
  });
});

it("countPoints counts code points", () => {
  expect(countPoints("𠮷😀a")).toBe(3);
});
