/**
 * Offsets that leave the program count Unicode code points; strings in the page
 * are indexed by UTF-16 units. This is the one place where the page converts.
 */

/** A half-open range. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Converts ranges of code points of text to ranges of UTF-16 units. Ranges are
 * clipped to the text; those that are empty or reversed after that are left out.
 */
export function toUnits<T extends Range>(text: string, ranges: readonly T[]): T[] {
  if (ranges.length === 0) return [];
  const units = unitOffsets(text);
  const points = units.length - 1;
  const clip = (n: number): number => Math.min(Math.max(Math.trunc(n), 0), points);
  return ranges
    .map((range) => ({ ...range, start: units[clip(range.start)] ?? 0, end: units[clip(range.end)] ?? 0 }))
    .filter((range) => range.start < range.end);
}

/** The UTF-16 offset of every code point of text, and of its end. */
function unitOffsets(text: string): number[] {
  const offsets = [0];
  let at = 0;
  for (const point of text) {
    at += point.length;
    offsets.push(at);
  }
  return offsets;
}

/** Counts the code points of text. */
export function countPoints(text: string): number {
  return Array.from(text).length;
}
