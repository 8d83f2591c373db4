/** The steps of retrieval in running order. */
export const stageNames = ["vector", "bm25", "fusion", "rerank"] as const;

/** One step of retrieval. */
export type StageName = (typeof stageNames)[number];

/** Reports whether name is a step of retrieval. */
export function isStage(name: string): name is StageName {
  return stageNames.some((stage) => stage === name);
}

/** The stages that appear in names, in running order. */
export function stagesIn(names: Iterable<string>): StageName[] {
  const seen = new Set(names);
  return stageNames.filter((stage) => seen.has(stage));
}
