/** The ways of cutting that ingestion knows. */
export const chunkers = ["auto", "tokens", "chars", "sentences", "headings", "code", "law", "dialogue", "table", "parent"] as const;

/** The largest overlap that goes with a size, in tokens: half of it, in whole steps of two. */
export const mostOverlap = (size: number): number => Math.floor(size / 4) * 2;
