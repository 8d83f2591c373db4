import type { AskRequest, ConversationTurn, RetrievalOptions } from "@/api/types.gen";

/** The ways to rewrite a question. */
export const rewritings = ["multi-query", "hyde"] as const;

/** What is chosen beside library, model and question. */
export interface Choices {
  strategy: string;
  topK: number | null;
  rewrite: (typeof rewritings)[number] | null;
  /** The best passages at both ends of the prompt, in place of the order of relevance. */
  edges: boolean;
  /** Ask a model again where its earlier reply is kept. */
  fresh: boolean;
  /** The question goes on with the conversation. */
  followUp: boolean;
  /** The window to ask for, in tokens; null as large as the prompt needs. */
  window: number | null;
}

/** What is asked with unless the user says otherwise. */
export function defaultChoices(strategies: readonly string[]): Choices {
  return {
    strategy: strategies.includes("hybrid+rerank") ? "hybrid+rerank" : (strategies[0] ?? ""),
    topK: null, rewrite: null, edges: false, fresh: false, followUp: true, window: null,
  };
}

/** The request for a question. */
export function askRequest(kb: string, query: string, model: string, history: ConversationTurn[], choices: Choices): AskRequest {
  const options: RetrievalOptions = {
    alpha: null, max_ranks: {}, filter: { folders: [], types: [], languages: [], tags: [], after: "", before: "" },
    heading_boost: null, fold_duplicates: null, diversity: null, neighbours: null, context_order: choices.edges ? "edges" : null, rewrite: choices.rewrite, rewrite_model: null,
  };
  return {
    kb, query, strategy: choices.strategy, model, fresh: choices.fresh, num_ctx: choices.window ?? 0, history, lang: "",
    retrieval: {
      top_k: choices.topK, candidates: null, fusion: null, reranker: null, rerank_depth: null, thresholds: {},
      options: choices.edges || choices.rewrite !== null ? options : null,
    },
  };
}
