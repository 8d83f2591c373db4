/** Colours of the theme, those of the stages first. */
const tones = ["vector", "bm25", "fusion", "rerank", "text-3", "down", "danger", "accent"] as const;

/** The stage that has the last word in a strategy, whose colour Compare shows it in. */
function lastStage(strategy: string): (typeof tones)[number] {
  if (strategy.includes("rerank")) return "rerank";
  if (strategy === "vector" || strategy === "bm25") return strategy;
  return "fusion";
}

/** A colour for each strategy: that of its last stage where no strategy before it has it, else one that is free. */
export function tonesOf(strategies: readonly string[]): string[] {
  const free = new Set<string>(tones);
  const own = strategies.map((strategy) => {
    const tone = lastStage(strategy);
    return free.delete(tone) ? tone : null;
  });
  return own.map((tone, i) => {
    if (tone !== null) return tone;
    const next = [...free][0] ?? tones[i % tones.length] ?? "accent";
    free.delete(next);
    return next;
  });
}
