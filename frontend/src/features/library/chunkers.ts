/** The ways of cutting that ingestion knows. */
export const chunkers = ["auto", "tokens", "chars", "sentences", "headings", "code", "law", "dialogue", "table", "parent"] as const;
