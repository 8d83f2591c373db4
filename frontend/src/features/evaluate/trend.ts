import type { RunInfo } from "@/api/types.gen";

/** How a metric went over runs that can be compared. */
export interface Trend {
  readonly newest: RunInfo;
  readonly metric: string;
  /** One line a strategy, each of two runs or more, oldest first. */
  readonly lines: readonly { readonly name: string; readonly runs: readonly RunInfo[] }[];
}

/** Runs of a strategy that a line has at most. */
const longest = 20;

/**
 * What two runs must share to stand on one line: the library, the version of the dataset, the questions asked of it
 * (a held-out half goes by its seed), and what counts as relevant.
 */
function sameTask(run: RunInfo): string {
  const half = run.purpose === "" ? "" : `${run.purpose} ${String(run.seed)}`;
  return JSON.stringify([run.library.kb, run.dataset.name, run.dataset.hash, half, run.scores.total_queries, run.relevance, run.unit, run.gain]);
}

function grouped(runs: readonly RunInfo[], key: (run: RunInfo) => string): Map<string, RunInfo[]> {
  const out = new Map<string, RunInfo[]>();
  for (const run of runs) {
    const group = out.get(key(run));
    if (group) group.push(run);
    else out.set(key(run), [run]);
  }
  return out;
}

/** The trend of the newest task that was run twice or more with one strategy; runs come newest first. Null without one. */
export function trendOf(runs: readonly RunInfo[]): Trend | null {
  for (const task of grouped(runs, sameTask).values()) {
    const [newest] = task;
    const metric = newest?.primary ?? "";
    const measured = task.filter((run) => run.scores.metrics[metric]?.value != null);
    const lines = [...grouped(measured, (run) => run.name)].filter(([, all]) => all.length > 1)
      .map(([name, all]) => ({ name, runs: all.slice(0, longest).reverse() }));
    if (newest !== undefined && lines.length > 0) return { newest, metric, lines };
  }
  return null;
}
