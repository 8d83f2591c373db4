import type { LocationQuery } from "vue-router";
import type { CompareRequest, RetrievalOptions } from "@/api/types.gen";
import { stageNames, type StageName } from "@/lib/stages";
import type { Baseline } from "@/lib/movement";
import { isRunStrategy } from "@/lib/runStrategy";

/** The ways to rewrite a question. */
export const rewritings = ["multi-query", "hyde"] as const;
export type Rewriting = (typeof rewritings)[number];

/** What the user chose beside library and question. Null means a strategy's own. */
export interface Settings {
  strategies: string[];
  topK: number | null;
  candidates: number | null;
  rerankDepth: number | null;
  reranker: string | null;
  thresholds: Record<StageName, number | null>;
  answer: boolean;
  /** What answers; empty means the program's default. */
  model: string;
  /** Ask a model again where its earlier reply is kept. */
  fresh: boolean;
  /** How a model rewrites the question for the search, null not at all. */
  rewrite: Rewriting | null;
  baseline: Baseline;
}

/** The columns a screen has at least and at most. */
export const minColumns = 2;
export const maxColumns = 4;

/** The comparison that shows the point: each leg, both, both reranked. */
export const defaultStrategies = ["vector", "bm25", "hybrid", "hybrid+rerank"] as const;

/** Settings that change nothing. */
export function defaultSettings(): Settings {
  return {
    strategies: [...defaultStrategies],
    topK: null,
    candidates: null,
    rerankDepth: null,
    reranker: null,
    thresholds: { vector: null, bm25: null, fusion: null, rerank: null },
    answer: false,
    model: "",
    fresh: false,
    rewrite: null,
    baseline: "first",
  };
}

/** Keeps known strategies and those of runs once each, at most maxColumns; the defaults if too few. A run alone stands beside the first default. */
export function validStrategies(wanted: readonly string[], known: readonly string[]): string[] {
  const kept = [...new Set(wanted)].filter((name) => known.includes(name) || isRunStrategy(name)).slice(0, maxColumns);
  const defaults = defaultStrategies.filter((name) => known.includes(name));
  if (kept.length >= minColumns) return kept;
  return kept.some(isRunStrategy) ? [...kept, ...defaults].slice(0, minColumns) : defaults;
}

const noOptions: RetrievalOptions = {
  alpha: null, max_ranks: {}, filter: { folders: [], types: [], languages: [], tags: [], after: "", before: "" },
  heading_boost: null, fold_duplicates: null, diversity: null, neighbours: null, context_order: null, rewrite: null, rewrite_model: null,
};

/** The request for a question. */
export function toRequest(kb: string, query: string, settings: Settings): CompareRequest {
  const thresholds = stageNames.flatMap((stage) => {
    const value = settings.thresholds[stage];
    return value === null ? [] : [[stage, value] as const];
  });
  return {
    kb,
    query,
    strategies: settings.strategies,
    retrieval: {
      top_k: settings.topK,
      candidates: settings.candidates,
      fusion: null,
      reranker: settings.reranker,
      rerank_depth: settings.rerankDepth,
      thresholds: Object.fromEntries(thresholds),
      options: settings.rewrite === null ? null : { ...noOptions, rewrite: settings.rewrite },
    },
    answer: settings.answer,
    model: settings.answer ? settings.model : "",
    fresh: settings.fresh,
    num_ctx: 0,
    lang: "",
  };
}

/** What an address of the screen says: a comparison can be reloaded and linked. */
export interface Linked {
  readonly kb: string | null;
  readonly query: string | null;
  readonly strategies: string[] | null;
  readonly topK: number | null;
  /** What answers, empty for the default; null without answers. */
  readonly model: string | null;
}

/** Takes from a request what was chosen for it. */
export function fromRequest(request: CompareRequest): Omit<Settings, "baseline"> {
  const { retrieval } = request;
  const rewrite = rewritings.find((one) => one === retrieval.options?.rewrite) ?? null;
  return {
    strategies: [...request.strategies], topK: retrieval.top_k, candidates: retrieval.candidates, rerankDepth: retrieval.rerank_depth, reranker: retrieval.reranker,
    thresholds: { ...defaultSettings().thresholds, ...retrieval.thresholds },
    answer: request.answer, model: request.model, fresh: request.fresh, rewrite,
  };
}

/** Reads the query part of an address; what makes no sense is left out. */
export function fromAddress(query: LocationQuery): Linked {
  const one = (key: string): string | null => {
    const value = query[key];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const topK = Number(one("k"));
  return {
    kb: one("kb"),
    query: one("q"),
    strategies: one("s")?.split(",") ?? null,
    topK: Number.isInteger(topK) && topK > 0 ? topK : null,
    model: typeof query.m === "string" ? query.m : null,
  };
}

/** Writes the query part of an address. */
export function toAddress(kb: string, query: string, settings: Settings): Record<string, string> {
  return {
    kb,
    q: query,
    s: settings.strategies.join(","),
    ...(settings.topK === null ? {} : { k: String(settings.topK) }),
    ...(settings.answer ? { m: settings.model } : {}),
  };
}
