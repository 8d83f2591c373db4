/** Puts value first in list without repeating it, and keeps the first limit. */
export function remember(list: readonly string[], value: string, limit: number): string[] {
  return [value, ...list.filter((other) => other !== value)].slice(0, limit);
}
