/** What is known of a run: on which questions, in which library, and when. */
interface PastRun {
  readonly dataset: { readonly name: string };
  readonly library: { readonly kb: string };
  readonly created: string;
}

/**
 * The library that a dataset is for, or the dataset of a library: that of their last run,
 * else the one of the same name, else the only one there is. Null when none of them tells.
 */
export function partnerOf(side: "dataset" | "library", name: string, choices: readonly string[], runs: readonly PastRun[]): string | null {
  const ends = (run: PastRun): [string, string] => (side === "dataset" ? [run.dataset.name, run.library.kb] : [run.library.kb, run.dataset.name]);
  const last = runs
    .filter((run) => ends(run)[0] === name && choices.includes(ends(run)[1]))
    .reduce<PastRun | null>((newest, run) => (newest === null || run.created > newest.created ? run : newest), null);
  if (last) return ends(last)[1];
  if (choices.includes(name)) return name;
  return choices.length === 1 ? (choices[0] ?? null) : null;
}

/** Runs by id in the order in which they were made: the first one is what later ones are held against. */
export function oldestFirst(ids: readonly string[], runs: readonly { readonly run_id: string; readonly created: string }[]): string[] {
  const made = new Map(runs.map((run) => [run.run_id, run.created]));
  return [...ids].sort((a, b) => (made.get(a) ?? "").localeCompare(made.get(b) ?? ""));
}
