/** Who labels until a name is given: the same in every language, so that one reader stays one in agreement. */
const unnamedReader = "me";

/** The name to label under, for what the browser remembers. */
export function readerName(kept: string): string {
  return kept.trim() || unnamedReader;
}
