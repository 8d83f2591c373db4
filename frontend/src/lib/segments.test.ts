import { describe, expect, it } from "vitest";
import { segments } from "./segments";

const marked = (text: string, marks: { start: number; end: number }[]): string =>
  segments(text, marks).map((s) => (s.marked ? `[${s.text}]` : s.text)).join("");

describe("segments", () => {
  it.each([
    ["none", "动态召回", [], "动态召回"],
    ["one", "动态召回", [{ start: 2, end: 4 }], "动态[召回]"],
    ["unordered", "abcdef", [{ start: 4, end: 5 }, { start: 0, end: 1 }], "[a]bcd[e]f"],
    ["overlapping", "abcdef", [{ start: 1, end: 4 }, { start: 2, end: 3 }, { start: 3, end: 5 }], "a[bcde]f"],
    ["touching", "abcd", [{ start: 0, end: 2 }, { start: 2, end: 3 }], "[abc]d"],
    ["after emoji and rare Han", "😀𠮷野家", [{ start: 1, end: 2 }], "😀[𠮷]野家"],
    ["everything", "ab", [{ start: 0, end: 9 }], "[ab]"],
    ["empty text", "", [{ start: 0, end: 1 }], ""],
  ])("%s", (_, text, marks, want) => {
    expect(marked(text, marks)).toBe(want);
  });

  it("never loses or repeats a character", () => {
    const text = "x𠮷😀é中z";
    for (let a = 0; a < 6; a++) {
      for (let b = 0; b < 8; b++) {
        const pieces = segments(text, [{ start: a, end: b }, { start: b - 2, end: a + 3 }]);
        expect(pieces.map((s) => s.text).join("")).toBe(text);
        expect(pieces.every((s) => s.text !== "")).toBe(true);
      }
    }
  });
});
