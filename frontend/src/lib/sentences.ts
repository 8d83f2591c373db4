/** What a passage has of a sentence. */
export interface Support {
  readonly rank: number;
  readonly score: number;
  readonly supported: boolean;
}

/** A sentence of an answer. */
export interface Sentence {
  readonly text: string;
  readonly needs_source: boolean;
  readonly markers: readonly number[];
  readonly support: Support | null;
}

/** A row of two answers side by side: places among the sentences of both. */
export interface DiffRow {
  readonly state: "same" | "changed" | "only_here" | "only_there";
  readonly here: number | null;
  readonly there: number | null;
}

/** A sentence as it is listed; state is null where nothing is compared. */
export interface SentenceRow {
  readonly state: DiffRow["state"] | null;
  readonly sentence: Sentence;
  /** What the other answer has in its place. */
  readonly was: string | null;
}

/** Lists the sentences of an answer, with what became of the other's; without rows they stand alone. */
export function sentenceRows(here: readonly Sentence[], there: readonly Sentence[], rows: readonly DiffRow[] | null): SentenceRow[] {
  if (rows === null) return here.map((sentence) => ({ state: null, sentence, was: null }));
  return rows.flatMap(({ state, here: i, there: j }): SentenceRow[] => {
    const [mine, theirs] = [i === null ? undefined : here[i], j === null ? undefined : there[j]];
    const sentence = mine ?? theirs;
    return sentence ? [{ state, sentence, was: state === "changed" ? (theirs?.text ?? null) : null }] : [];
  });
}

/** The sign of each state, which says the same as its colour. */
export const signs = { same: "=", changed: "~", only_here: "+", only_there: "−" } as const;
