import { useI18n } from "vue-i18n";
import { runOf } from "./runStrategy";

/** Names and explanations of strategies and stages in the page's language. */
export function useNames() {
  const { t, te, d } = useI18n();

  /** "hybrid+rerank" in words, with its time for that of a run; a pipeline of the user's own keeps its name. */
  function strategyName(strategy: string): string {
    const run = runOf(strategy);
    if (run) return t("ui.strategy.ofRun", { name: strategyName(run.name), when: d(run.created, { month: "numeric", day: "numeric", hour: "2-digit", minute: "2-digit" }) });
    // A tuned one carries its weight: "weighted+rerank alpha=0.3".
    const [legs = strategy, weight] = strategy.split(/ (?=alpha=)/u);
    const [base = legs, ...more] = legs.split("+");
    const key = `ui.strategy.${base}.name`;
    const known = te(key) ? t(key) : base;
    const name = more.length === 0 ? known : t("ui.strategy.reranked", { name: known });
    return weight === undefined ? name : `${name} ${weight.replace("alpha=", "α=")}`;
  }

  /** What a setting that differs between runs is set to, in words where it has some. */
  function settingName(setting: string, value: string): string {
    if (value === "") return "–";
    if (setting === "legs") return value.split("+").map(stageName).join(" + ");
    const key = setting === "reranker" ? `ui.reranker.${value}` : setting === "fusion" ? `ui.strategy.${value === "rrf" ? "hybrid" : value}.name` : "";
    return key !== "" && te(key) ? t(key) : value;
  }

  function strategyAbout(strategy: string): string {
    const [base = strategy, ...more] = strategy.split("+");
    if (runOf(strategy)) return t("ui.strategy.ofRunAbout");
    const key = `ui.strategy.${base}.about`;
    const about = te(key) ? t(key) : "";
    if (more.length === 0) return about;
    const rerank = t("ui.strategy.rerankAbout");
    return about === "" ? rerank : t("ui.strategy.andRerank", { about, rerank });
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

  /** A metric of answers in words; those of retrieval have one name in every language. */
  function metricName(metric: string): string {
    const key = `ui.metric.${metric.toLowerCase()}`;
    return te(key) ? t(key) : metric;
  }

  /** A metric as a choice: named in words, with the name that files and commands know as its title. */
  const metricOption = (metric: string): { value: string; label: string; title: string } => ({ value: metric, label: metricName(metric), title: metric });

  /** Who answered: a model's own name, or what stands for extracts. */
  const answererName = (model: string): string => (model === "extractive" ? t("ui.ask.extractive") : model);

  /** Who judged, as "evidence" or "llm:qwen3:4b". */
  function detectorName(detector: string): string {
    const [kind = "", ...model] = detector.split(":");
    const name = te(`ui.detector.${kind}`) ? t(`ui.detector.${kind}`) : kind;
    return [name, model.join(":")].filter(Boolean).join(" ");
  }

  return { metricName, metricOption, answererName, detectorName, settingName, strategyName, strategyAbout, strategyNote, stageName, stageAbout, partName };
}
