import { describe, expect, it } from "vitest";
import type { Column, Dropped, Hit } from "@/api/types.gen";
import type { StageName } from "@/lib/stages";
import { stripOf } from "./thresholds";

const hit = (score_stage: string, score: number): Hit => ({
  rank: 1, chunk_id: "c", doc_id: "d", source: "d.md", span: { start: 0, end: 1 }, text: "x", headings: [],
  score, score_stage, trace: [], matches: [], page: null, passage: null, repeats: [],
});
const lost = (stage: string, score: number, threshold: number): Dropped => ({ chunk_id: `${stage}${String(score)}`, source: "d.md", text: "x", stage, score, rank: 1, threshold, max_rank: null });
const column = (stages: string[], hits: Hit[], dropped: Dropped[]): Column => ({
  strategy: "s", hits, dropped, prompt: "", answer: null, rewrite: null, check: null, citations: [],
  usage: null, auto: null, run: null, abstained: false, cut: [], truncated: false, warnings: [], context: { order: "relevance", counted_by: "estimate", window: null, reply_tokens: null, read_tokens: null, prompt_tokens: 0, frame_tokens: 0, passages: [], template: "grounded.zh", template_fingerprint: "" }, fingerprint: "",
  timings_ms: Object.fromEntries([...stages, "total"].map((stage) => [stage, 1])),
});
const set = (values: Partial<Record<StageName, number>>) => (stage: StageName) => values[stage] ?? null;

describe("stripOf", () => {
  it("has the value that is set where nothing reaches it", () => {
    expect(stripOf(column(["vector"], [], [lost("vector", 0.44, 0.6), lost("vector", 0.2, 0.6)]), set({ vector: 0.6, bm25: 2 })))
      .toEqual({ stage: "vector", early: false, kept: [], lost: [0.44, 0.2], value: 0.6, others: [] });
  });

  it("names an earlier stage where nothing came to the last", () => {
    expect(stripOf(column(["vector", "bm25", "fusion"], [], [lost("vector", 0.44, 0.6), lost("bm25", 0.33, 2)]), set({ vector: 0.6, bm25: 2 })))
      .toEqual({ stage: "bm25", early: true, kept: [], lost: [0.33], value: 2, others: [{ stage: "vector", value: 0.6, dropped: 1 }] });
  });

  it("shows no threshold of the last stage where only an earlier one has one", () => {
    expect(stripOf(column(["vector", "bm25", "fusion"], [hit("fusion", 0.03)], [lost("vector", 0.1, 0.2)]), set({ vector: 0.2 })))
      .toEqual({ stage: "fusion", early: false, kept: [0.03], lost: [], value: null, others: [{ stage: "vector", value: 0.2, dropped: 1 }] });
  });

  it("leaves out thresholds of stages that the column has not", () => {
    expect(stripOf(column(["bm25"], [hit("bm25", 1)], []), set({ vector: 0.2, rerank: 1 })))
      .toEqual({ stage: "bm25", early: false, kept: [1], lost: [], value: null, others: [] });
  });

  it("is nothing without scores", () => {
    expect(stripOf(column(["bm25"], [], []), set({}))).toBeNull();
  });
});
