import { useI18n } from "vue-i18n";
import { runOf } from "./runStrategy";

/** Names and explanations of strategies and stages in the page's language. */
export function useNames() {
  const { t, te, d } = useI18n();

  /** "hybrid+rerank" in words, with its time for that of a run; a pipeline of the user's own keeps its name. */
  function strategyName(strategy: string): string {
    const run = runOf(strategy);
    if (run) return t("ui.strategy.ofRun", { name: strategyName(run.name), when: d(run.created, { month: "numeric", day: "numeric", hour: "2-digit", minute: "2-digit" }) });
    const [base = strategy, ...more] = strategy.split("+");
    const key = `ui.strategy.${base}.name`;
    const name = te(key) ? t(key) : base;
    return more.length === 0 ? name : t("ui.strategy.reranked", { name });
  }

  function strategyAbout(strategy: string): string {
    const [base = strategy, ...more] = strategy.split("+");
    if (runOf(strategy)) return t("ui.strategy.ofRunAbout");
    const key = `ui.strategy.${base}.about`;
    const about = te(key) ? t(key) : "";
    return more.length === 0 ? about : [about, t("ui.strategy.rerankAbout")].filter(Boolean).join(" ");
  }

  /** The explanation in a list that explains the strategy's own legs just before. */
  function strategyNote(strategy: string): string {
    return strategy.includes("+") ? t("ui.strategy.rerankAbout") : strategyAbout(strategy);
  }

  /** A stage, or another step that time is measured for. */
  function stageName(stage: string): string {
    const key = `ui.stage.${stage}.name`;
    return te(key) ? t(key) : stage;
  }

  function stageAbout(stage: string): string {
    const key = `ui.stage.${stage}.about`;
    return te(key) ? t(key) : "";
  }

  /** A value behind a score. */
  function partName(part: string): string {
    const key = `ui.part.${part}`;
    return te(key) ? t(key) : part;
  }

  return { strategyName, strategyAbout, strategyNote, stageName, stageAbout, partName };
}
