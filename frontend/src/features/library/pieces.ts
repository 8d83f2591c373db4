import { countPoints, toUnits, type Range } from "@/lib/points";

/** A stretch of a document's text that the same chunks cover. */
export interface Piece {
  /** In code points of the text. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Places of the chunks that cover it; none for what no chunk holds, two or more for an overlap. */
  readonly chunks: readonly number[];
}

/** Cuts a text at every border of its chunks and, so that pieces stay short, at line ends. */
export function cutPieces(text: string, chunks: readonly Range[]): Piece[] {
  const length = countPoints(text);
  const borders = [...new Set([0, length, ...chunks.flatMap((chunk) => [chunk.start, chunk.end])])].filter((at) => at >= 0 && at <= length).sort((a, b) => a - b);
  const ranges = borders.slice(0, -1).map((start, i) => ({ start, end: borders[i + 1] ?? length }));
  const units = toUnits(text, ranges);
  const open: number[] = [];
  const byStart = chunks.map((chunk, place) => ({ ...chunk, place })).sort((a, b) => a.start - b.start);
  let next = 0;
  return ranges.flatMap((range, i) => {
    for (; next < byStart.length && (byStart[next]?.start ?? 0) <= range.start; next++) open.push(byStart[next]?.place ?? 0);
    const covering = open.filter((place) => (chunks[place]?.end ?? 0) > range.start);
    open.splice(0, open.length, ...covering);
    const unit = units[i] ?? { start: 0, end: 0 };
    return lines(text.slice(unit.start, unit.end), range.start, covering);
  });
}

/** Pieces longer than this are cut at the next line end. */
const longPiece = 1200;

function lines(text: string, start: number, chunks: readonly number[]): Piece[] {
  if (text.length <= longPiece) return [{ start, end: start + countPoints(text), text, chunks }];
  const out: Piece[] = [];
  for (let from = 0, at = start; from < text.length; ) {
    const line = text.indexOf("\n", from + longPiece);
    const to = line < 0 ? text.length : line + 1;
    const part = text.slice(from, to);
    const end = at + countPoints(part);
    out.push({ start: at, end, text: part, chunks });
    from = to;
    at = end;
  }
  return out;
}
