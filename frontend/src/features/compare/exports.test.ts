import { expect, it } from "vitest";
import type { Hit } from "@/api/types.gen";
import type { Move } from "@/lib/movement";
import type { BoardColumn } from "./board";
import { boardHtml } from "./exports";
import { links } from "./links";

const hit = (chunkId: string, rank: number, text = "plain"): Hit => ({
  rank, chunk_id: chunkId, doc_id: "d", source: `a/${chunkId}.md`, span: { start: 0, end: 5 }, text, headings: [], score: 1 / rank, score_stage: "fusion", trace: [], page: null, passage: null, repeats: [],
  matches: [{ start: 0, end: 3, term: "x" }],
});
const moves: Record<string, Move> = { a: { kind: "down", by: 2 }, b: { kind: "up", by: 1 } };
const column = (strategy: string, hits: Hit[], against: string | null): BoardColumn => ({
  column: { strategy, hits, dropped: [], prompt: "", answer: null, rewrite: null, check: null, citations: [], usage: null, auto: null, run: null, abstained: false, cut: [], truncated: false, warnings: [],
    context: { order: "relevance", counted_by: "estimate", window: null, reply_tokens: null, read_tokens: null, prompt_tokens: 0, frame_tokens: 0, passages: [], template: "", template_fingerprint: "" }, fingerprint: "", timings_ms: { total: 1 } },
  against, cards: hits.map((one) => ({ hit: one, move: against === null ? null : moves[one.chunk_id] ?? { kind: "entered" as const } })), gone: [],
});
const boards = [column("vector", [hit("a", 1), hit("b", 2)], null), column("bm25", [hit("b", 1), hit("c", 2), hit("a", 3, "<script>alert('x')</script>")], "vector")];

it("links the cards that neighbouring columns share", () => {
  expect(links(boards).map(({ chunkId, from, to, kind }) => [chunkId, from, to, kind])).toEqual([["a", 0, 2, "down"], ["b", 1, 0, "up"]]);
});

it("colours no line between columns of which neither is compared with the other", () => {
  const third = column("hybrid", [hit("a", 1)], "vector");
  expect(links([...boards, third]).filter((link) => link.column === 1).map((link) => link.kind)).toEqual(["other"]);
});

it("writes HTML that holds every card and runs nothing", () => {
  const html = boardHtml("What & <why>?", "kb", boards, { title: "Compare", lang: "en", answer: "Answer", gone: "Gone", dropped: "Dropped", entered: "new", strategyName: (name) => name, stageName: (name) => name });
  expect(html.match(/<article>/gu)?.length).toBe(5);
  expect(html).toContain("What &amp; &lt;why&gt;?");
  expect(html).not.toContain("<script");
  expect(html).not.toMatch(/(src|href)=/u);
  expect(html).toContain("<mark>pla</mark>in");
});
