/**
 * Reads paths typed or pasted one a line. Blank lines go, and so do the quotes
 * that file managers put around a copied path, and repetitions.
 */
export function readPaths(text: string): string[] {
  const paths = text
    .split(/\r?\n/u)
    .map((line) => line.trim().replace(/^(["'])(.+)\1$/u, "$2"))
    .filter((line) => line !== "");
  return [...new Set(paths)];
}
