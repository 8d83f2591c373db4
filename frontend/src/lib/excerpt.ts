import { toUnits, type Range } from "./points";
import type { Segment } from "./segments";

/** How wide a character is drawn: Han and the like take two places of a Latin one. */
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * Cuts the stretch of text that shows most of its marked ranges (in code points)
 * in about `places` Latin places, begun at the start where that loses nothing.
 * Runs of white space become one space; "…" stands where text was left out.
 */
export function excerpt(text: string, marks: readonly Range[], places: number): Segment[] {
  const cells = layOut(text, marks);
  const from = bestStart(cells, places);
  const pieces: Segment[] = [];
  let width = 0;
  let i = from;
  for (; i < cells.length; i++) {
    const cell = cells[i];
    if (!cell || width + cell.width > places) break;
    width += cell.width;
    const last = pieces[pieces.length - 1];
    if (last?.marked === cell.marked) pieces[pieces.length - 1] = { text: last.text + cell.text, marked: cell.marked };
    else pieces.push({ text: cell.text, marked: cell.marked });
  }
  const plain = (text: string): Segment => ({ text, marked: false });
  return [...(from > 0 ? [plain("…")] : []), ...pieces, ...(i < cells.length ? [plain("…")] : [])];
}

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly marked: boolean;
  /** The first cell of a marked range. */
  readonly starts: boolean;
}

/** One cell a code point, with white space folded and marks carried over. */
function layOut(text: string, marks: readonly Range[]): Cell[] {
  const ranges = toUnits(text, marks).sort((a, b) => a.start - b.start);
  const cells: Cell[] = [];
  let at = 0;
  let next = 0;
  let end = 0;
  for (const point of text.trimEnd()) {
    let starts = false;
    for (let range = ranges[next]; range && range.start <= at; range = ranges[++next]) {
      starts = true;
      end = Math.max(end, range.end);
    }
    const blank = /\s/u.test(point);
    if (!blank) cells.push({ text: point, width: wide.test(point) ? 2 : 1, marked: at < end, starts });
    else if (cells.length > 0 && cells[cells.length - 1]?.text !== " ") cells.push({ text: " ", width: 1, marked: at < end, starts });
    at += point.length;
  }
  return cells;
}

/** How much is shown before the first mark of an excerpt that starts inside a text. */
const leadPlaces = 16;

/** The cell to begin at, so that most marks begin within places. */
function bestStart(cells: readonly Cell[], places: number): number {
  let best = 0;
  let most = marksFrom(cells, 0, places);
  cells.forEach((cell, i) => {
    if (!cell.starts) return;
    const start = stepBack(cells, i);
    const count = marksFrom(cells, start, places);
    if (count > most) {
      most = count;
      best = start;
    }
  });
  return Math.min(best, fillStart(cells, places));
}

/** The cell, at a word's start, from which the rest of the text fits and wastes no room. */
function fillStart(cells: readonly Cell[], places: number): number {
  let width = 0;
  let i = cells.length;
  while (i > 0) {
    width += cells[i - 1]?.width ?? 0;
    if (width > places) break;
    i--;
  }
  if (i === 0) return 0;
  const word = cells.slice(i - 1, i + leadPlaces).findIndex((cell) => cell.text === " ");
  return word < 0 ? i : i + word;
}

function marksFrom(cells: readonly Cell[], from: number, places: number): number {
  let count = 0;
  let width = 0;
  for (let i = from; i < cells.length; i++) {
    const cell = cells[i];
    if (!cell) break;
    width += cell.width;
    if (width > places) break;
    if (cell.starts) count++;
  }
  return count;
}

/** What belongs to the sentence before it, although it stands after its end. */
const closing = /[”’」』）】》"')\]0-9a-z]/u;

/** Goes back a little from a mark, to the start of a sentence or word if one is near. */
function stepBack(cells: readonly Cell[], mark: number): number {
  let width = 0;
  let word = mark;
  for (let i = mark; i > 0; i--) {
    const before = cells[i - 1];
    if (!before) break;
    if (/[。！？；.!?;]/u.test(before.text) && !closing.test(cells[i]?.text ?? "")) return cells[i]?.text === " " ? i + 1 : i;
    if (before.text === " ") word = i;
    width += before.width;
    if (width > leadPlaces) return word < mark ? word : i;
  }
  return 0;
}
