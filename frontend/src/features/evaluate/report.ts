import type { EvalReport } from "@/api/types.gen";
import type { Comparison, Metric, Record as RunRecord, Result } from "@/api/runs.gen";

/** A metric of a run beside the comparison of the run with the baseline. */
export interface Cell {
  readonly run: Result;
  readonly metric: Metric;
  /** Null in the baseline's column. */
  readonly against: Comparison | null;
}

/** A run whose note is written. */
export interface Noted {
  readonly run_id: string;
  readonly name: string;
  readonly note: string;
}

/** One row of the table before and after. */
export interface MetricRow {
  readonly name: string;
  readonly primary: boolean;
  readonly cells: readonly Cell[];
}

/** Arranges the report as a table: a row for each metric, a cell for each run. */
export function metricRows(report: EvalReport): MetricRow[] {
  return report.metrics.map((name) => ({
    name,
    primary: name === report.primary,
    cells: report.runs.flatMap((run) => {
      const metric = run.metrics[name];
      return metric ? [{ run, metric, against: comparison(report, name, run.name) }] : [];
    }),
  }));
}

/** The comparison of a run with the baseline on a metric, null for the baseline. */
export function comparison(report: EvalReport, metric: string, run: string): Comparison | null {
  return report.comparisons.find((c) => c.metric === metric && c.b === run && c.a === report.baseline) ?? null;
}

/** The columns that Compare has at most. */
const columns = 4;

/** The runs to see a question under: the baseline and the one that was asked about, then the others as far as there is room. */
export function besides(report: EvalReport, asked: string | null): string[] {
  const baseline = report.runs.find((run) => run.name === report.baseline)?.run_id;
  const ids = report.runs.map((run) => run.run_id);
  const first = [...new Set([baseline, asked ?? undefined, ...ids].filter((id): id is string => id !== undefined && ids.includes(id)))].slice(0, columns);
  return ids.filter((id) => first.includes(id));
}

/** One question as all runs of a report answered it. */
export interface QuestionRow {
  readonly id: string;
  readonly query: string;
  readonly type: string;
  readonly lang: string;
  readonly answerable: boolean;
  /** By run, in the report's order; null where the run lacks the question. */
  readonly records: readonly (RunRecord | null)[];
}

/** Joins the records of several runs by question, in the first run's order. */
export function joinQuestions(runs: readonly (readonly RunRecord[])[]): QuestionRow[] {
  const maps = runs.map((records) => new Map(records.map((record) => [record.query_id, record])));
  const ids = [...new Set(runs.flatMap((records) => records.map((record) => record.query_id)))];
  return ids.flatMap((id) => {
    const records = maps.map((map) => map.get(id) ?? null);
    const first = records.find((record) => record !== null);
    return first ? [{ id, query: first.query, type: first.type, lang: first.lang, answerable: first.answerable, records }] : [];
  });
}

/** What a list of questions is narrowed to. */
export type QuestionFilter = "all" | "failed" | "moved" | "errored" | "unanswerable";

/** Reports whether a question belongs under a filter. Which of them failed is said by the records. */
export function fits(row: QuestionRow, filter: QuestionFilter): boolean {
  switch (filter) {
    case "all": return true;
    case "failed": return row.records.some((record) => record !== null && record.cause !== null);
    case "moved": return new Set(row.records.map((record) => record?.first ?? null)).size > 1;
    case "errored": return row.records.some((record) => record !== null && record.error !== null);
    case "unanswerable": return !row.answerable;
  }
}

/** Metrics of answers that a language model judges: marks of the rubric, and the forms of others that ask a model. */
export const judgedChoices = [
  "rubric_faithfulness", "rubric_relevance", "rubric_completeness",
  "llm_answer_relevancy", "llm_answer_correctness", "llm_key_points", "llm_citation_recall", "llm_citation_precision", "llm_context_precision", "llm_context_recall", "llm_context_utilization", "llm_noise_sensitivity",
] as const;
