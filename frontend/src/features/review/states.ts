/** What a person can say of a claim, in the order of the keys that say it. */
export const states = ["supported", "contradicted", "unverifiable", "abstained", "unclear"] as const;
export type State = (typeof states)[number];

/** The state that a key stands for: 1 to 4, and 0 for what cannot be told; null for other keys. */
export function stateOfKey(key: string): State | null {
  if (key === "0") return "unclear";
  return /^[1-4]$/u.test(key) ? (states[Number(key) - 1] ?? null) : null;
}

/** The key that says a state. */
export const keyOf = (state: State): string => (state === "unclear" ? "0" : String(states.indexOf(state) + 1));
