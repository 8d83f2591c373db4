import { describe, expect, it } from "vitest";
import type { RunInfo } from "@/api/types.gen";
import { trendOf } from "./trend";

interface Made { name?: string; kb?: string; dataset?: string; hash?: string; purpose?: "" | "tune"; queries?: number; seed?: number; unit?: string; value?: number | null; at?: string }

const run = ({ name = "vector", kb = "docs", dataset = "qa", hash = "h", purpose = "", queries = 8, seed = 1, unit = "chunk", value = .5, at = "1" }: Made = {}) => ({
  run_id: at, name, created: at, purpose, seed, primary: "MRR", unit, relevance: "contains", gain: "exponential", library: { kb }, dataset: { name: dataset, hash, questions: 8 },
  scores: { total_queries: queries, unanswerable: 1, metrics: { MRR: { value } } },
}) as unknown as RunInfo;

describe("the trend of runs", () => {
  it.each<[string, Made]>([
    ["another library", { kb: "other" }], ["another dataset", { dataset: "copy" }], ["another version of the dataset", { hash: "g" }], ["a held-out half", { purpose: "tune" }],
    ["another number of questions", { queries: 4 }], ["another unit", { unit: "document" }],
  ])("has nothing of %s", (_, other) => {
    const trend = trendOf([run({ at: "3" }), run({ ...other, at: "2" }), run({ at: "1" })]);
    expect(trend?.lines.map((line) => line.runs.map((r) => r.run_id))).toEqual([["1", "3"]]);
  });

  it("is of the newest runs that can be compared with an older one of their strategy", () => {
    const trend = trendOf([run({ kb: "new", at: "5" }), run({ purpose: "tune", queries: 4, at: "4" }), run({ purpose: "tune", queries: 4, at: "3" }), run({ at: "2" }), run({ at: "1" })]);
    expect(trend?.newest.run_id).toBe("4");
    expect(trend?.lines).toHaveLength(1);
  });

  it("tells the held-out halves of two seeds apart, and not the seeds of evaluations", () => {
    expect(trendOf([run({ purpose: "tune", seed: 2, at: "2" }), run({ purpose: "tune", at: "1" })])).toBeNull();
    expect(trendOf([run({ seed: 2, at: "2" }), run({ at: "1" })])?.lines).toHaveLength(1);
  });

  it("leaves out strategies with one point, and runs without the metric", () => {
    expect(trendOf([run({ name: "bm25", at: "3" }), run({ value: null, at: "2" }), run({ at: "1" })])).toBeNull();
    expect(trendOf([])).toBeNull();
  });
});
