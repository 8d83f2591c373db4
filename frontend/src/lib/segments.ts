import { toUnits, type Range } from "./points";

/** A piece of a text, marked or not. Joined, the pieces are the text. */
export interface Segment {
  readonly text: string;
  readonly marked: boolean;
}

/**
 * Cuts text at the given ranges of code points. Ranges may overlap or touch and
 * come in any order; what any of them covers is marked.
 */
export function segments(text: string, marks: readonly Range[]): Segment[] {
  const sorted = toUnits(text, marks).sort((a, b) => a.start - b.start);
  const out: Segment[] = [];
  let at = 0;
  const push = (end: number, marked: boolean): void => {
    if (end > at) out.push({ text: text.slice(at, end), marked });
    at = Math.max(at, end);
  };
  for (let i = 0; i < sorted.length; ) {
    const first = sorted[i];
    if (!first) break;
    let end = first.end;
    for (i++; i < sorted.length; i++) {
      const next = sorted[i];
      if (!next || next.start > end) break;
      end = Math.max(end, next.end);
    }
    push(first.start, false);
    push(end, true);
  }
  push(text.length, false);
  return out;
}
