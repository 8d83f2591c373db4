import { describe, expect, it } from "vitest";
import type { Column, CompareResponse, Hit } from "@/api/types.gen";
import { arrange, draftOf, neighbour, showsAll } from "./board";

const hit = (chunk_id: string, rank: number): Hit => ({
  rank, chunk_id, doc_id: "d", source: `${chunk_id}.md`, span: { start: 0, end: 1 }, text: "x", headings: [],
  score: 1, score_stage: "bm25", trace: [], matches: [], page: null, passage: null, repeats: [],
});
const column = (strategy: string, ids: string[]): Column => ({
  strategy, hits: ids.map((id, i) => hit(id, i + 1)), dropped: [], prompt: "", answer: null, rewrite: null, check: null, citations: [],
  usage: null, auto: null, run: null, abstained: false, cut: [], truncated: false, warnings: [], context: { order: "relevance", counted_by: "estimate", window: null, reply_tokens: null, read_tokens: null, prompt_tokens: 0, frame_tokens: 0, passages: [], template: "grounded.zh", template_fingerprint: "" }, fingerprint: "", timings_ms: {},
});

function response(lists: Record<string, string[]>): CompareResponse {
  const strategies = Object.entries(lists).map(([name, ids]) => column(name, ids));
  const all = [...new Set(Object.values(lists).flat())];
  return {
    query: "q", kb: "k", query_terms: [], model: null, demonstration: false, strategies, answer_diffs: [],
    movement: all.map((chunk_id) => ({
      chunk_id, source: `${chunk_id}.md`,
      ranks: Object.fromEntries(Object.entries(lists).map(([name, ids]) => [name, ids.indexOf(chunk_id) + 1 || null])),
    })),
  };
}

const lists = { vector: ["a", "b", "c"], bm25: ["c", "d"], hybrid: ["c", "a", "e"] };

describe("arrange", () => {
  it("compares with the first column", () => {
    const [first, second, third] = arrange(response(lists), "first");
    expect(first?.against).toBeNull();
    expect(first?.cards.every((card) => card.move === null)).toBe(true);
    expect(second?.cards.map((card) => card.move)).toEqual([{ kind: "up", by: 2 }, { kind: "entered" }]);
    expect(second?.gone).toEqual([
      { chunkId: "a", source: "a.md", about: "x", rank: 1 },
      { chunkId: "b", source: "b.md", about: "x", rank: 2 },
    ]);
    expect(third?.cards.map((card) => card.move)).toEqual([{ kind: "up", by: 2 }, { kind: "down", by: 1 }, { kind: "entered" }]);
    expect(third?.gone.map((g) => g.chunkId)).toEqual(["b"]);
  });

  it.each([
    ["its heading and first words", ["Manual", "Maintenance"], "## Maintenance\n\nGrease the  bearings.", "Maintenance · Grease the bearings."],
    ["a heading that it does not repeat", ["Manual", "Maintenance"], "Replace the seal.", "Maintenance · Replace the seal."],
    ["words alone", [], "Replace\nthe seal.", "Replace the seal."],
  ])("tells of what is gone %s", (_, headings, text, want) => {
    const one = response({ vector: ["a"], bm25: [] });
    const gone = arrange({ ...one, strategies: [{ ...column("vector", []), hits: [{ ...hit("a", 1), headings, text }] }, ...one.strategies.slice(1)] }, "first")[1]?.gone;
    expect(gone?.map((chunk) => chunk.about)).toEqual([want]);
  });

  it("compares with the previous column", () => {
    const third = arrange(response(lists), "previous")[2];
    expect(third?.against).toBe("bm25");
    expect(third?.cards.map((card) => card.move)).toEqual([{ kind: "same" }, { kind: "entered" }, { kind: "entered" }]);
    expect(third?.gone.map((g) => g.chunkId)).toEqual(["d"]);
  });
});

it.each([
  ["all chunks in every column", { vector: ["a", "b"], bm25: ["b", "a"] }, 2, true],
  ["more chunks than are shown", { vector: ["a", "b"], bm25: ["b", "a"] }, 3, false],
  ["a column that finds fewer", { vector: ["a", "b"], bm25: ["b"] }, 2, false],
  ["an empty library", { vector: [], bm25: [] }, 0, false],
])("showsAll: %s", (_, found, chunks, want) => {
  expect(showsAll(response(found), chunks)).toBe(want);
});

describe("neighbour", () => {
  const sizes = [3, 0, 2];
  it.each([
    ["up", { column: 0, row: 1 }, "ArrowUp", { column: 0, row: 0 }],
    ["up from the top", { column: 0, row: 0 }, "ArrowUp", null],
    ["down", { column: 0, row: 1 }, "ArrowDown", { column: 0, row: 2 }],
    ["down from the end", { column: 2, row: 1 }, "ArrowDown", null],
    ["right over an empty column, into a shorter one", { column: 0, row: 2 }, "ArrowRight", { column: 2, row: 1 }],
    ["left", { column: 2, row: 1 }, "ArrowLeft", { column: 0, row: 1 }],
    ["left from the first", { column: 0, row: 0 }, "ArrowLeft", null],
    ["another key", { column: 0, row: 0 }, "Enter", null],
  ])("%s", (_, place, key, want) => {
    expect(neighbour(place, key, sizes)).toEqual(want);
  });
});

describe("draftOf", () => {
  const columns = [{ ...column("vector", []), answer: "whole" }, column("bm25", []), column("hybrid", [])];
  it.each([
    ["an answer that is whole", 0, { running: true, text: "w" }, null],
    ["the one that is written", 1, { running: true, text: "w" }, { state: "writing", text: "w" }],
    ["before its first word", 1, { running: true, text: "" }, { state: "waiting", text: "" }],
    ["one that waits", 2, { running: true, text: "w" }, { state: "waiting", text: "" }],
    ["what was broken off", 1, { running: false, text: "w" }, { state: "stopped", text: "w" }],
    ["no answer asked for", 1, null, null],
  ])("%s", (_, index, writing, want) => {
    expect(draftOf(columns, index, writing)).toEqual(want);
  });
});
