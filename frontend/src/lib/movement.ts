/** How a chunk stands in a column against the column it is compared with. */
export type Move =
  | { readonly kind: "same" }
  | { readonly kind: "up" | "down"; readonly by: number }
  | { readonly kind: "entered" };

/** Compares ranks, 1 being best; reference is null where the chunk was absent. */
export function moveOf(rank: number, reference: number | null): Move {
  if (reference === null) return { kind: "entered" };
  if (rank === reference) return { kind: "same" };
  return rank < reference ? { kind: "up", by: reference - rank } : { kind: "down", by: rank - reference };
}

/** Which column others are compared with. */
export type Baseline = "first" | "previous";

/** The index of the column that column i is compared with, null for the first. */
export function baselineOf(i: number, baseline: Baseline): number | null {
  if (i === 0) return null;
  return baseline === "first" ? 0 : i - 1;
}
