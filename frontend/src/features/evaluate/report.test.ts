import { describe, expect, it } from "vitest";
import type { Record as RunRecord } from "@/api/runs.gen";
import type { EvalReport } from "@/api/types.gen";
import { besides, fits, joinQuestions } from "./report";

const record = (id: string, first: number | null, more: Partial<RunRecord> = {}): RunRecord => ({
  query_id: id, query: `question ${id}`, type: "factual", lang: "en", cluster: "", answerable: true, stale: false, expected: [], first,
  cause: first === null ? "not_retrieved" : null, metrics: {}, retrieved: [], dropped: [], ideal: [], by_unit: false, has_gold: true, answer: null,
  unreachable: null, relevant: [], error: null, ...more,
});

describe("questions of several runs", () => {
  const rows = joinQuestions([[record("a", 1), record("b", 3)], [record("b", 1), record("a", 1), record("c", null, { answerable: false })]]);

  it("are joined by id, in the first run's order", () => {
    expect(rows.map(({ id, records }) => [id, records.map((r) => r?.first ?? null)])).toEqual([["a", [1, 1]], ["b", [3, 1]], ["c", [null, null]]]);
    expect(rows[2]?.records[0]).toBeNull();
  });

  it.each([["all", ["a", "b", "c"]], ["failed", ["c"]], ["moved", ["b"]], ["errored", []], ["unanswerable", ["c"]]] as const)("are narrowed: %s", (filter, want) => {
    expect(rows.filter((row) => fits(row, filter)).map((row) => row.id)).toEqual(want);
  });
});

describe("the runs beside which a question is seen", () => {
  const report = (...names: string[]) => ({ baseline: names[0] ?? "", runs: names.map((name) => ({ name, run_id: `id-${name}` })) }) as unknown as EvalReport;

  it("are all of a few", () => {
    expect(besides(report("a", "b"), null)).toEqual(["id-a", "id-b"]);
  });

  it("hold the baseline and the run that was asked about", () => {
    expect(besides(report("a", "b", "c", "d", "e", "f"), "id-f")).toEqual(["id-a", "id-b", "id-c", "id-f"]);
  });
});
