import { expect, it } from "vitest";
import { cutPieces } from "./pieces";

it("cuts at the borders of chunks, overlaps and gaps apart", () => {
  const pieces = cutPieces("😀𠮷野家的牛丼。", [{ start: 0, end: 4 }, { start: 3, end: 6 }]);
  expect(pieces.map(({ start, end, text, chunks }) => [start, end, text, chunks])).toEqual([
    [0, 3, "😀𠮷野", [0]],
    [3, 4, "家", [0, 1]],
    [4, 6, "的牛", [1]],
    [6, 8, "丼。", []],
  ]);
});

it("joined, gives the text back, however long", () => {
  const text = Array.from({ length: 400 }, (_, i) => `line ${String(i)} 😀`).join("\n");
  const pieces = cutPieces(text, [{ start: 0, end: 3000 }]);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.every((piece, i) => i === 0 || piece.start === pieces[i - 1]?.end)).toBe(true);
});

it("an empty text has no pieces to speak of", () => {
  expect(cutPieces("", [])).toEqual([]);
});
