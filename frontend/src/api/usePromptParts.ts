import { useI18n } from "vue-i18n";
import type { PromptContext } from "./types.gen";

/** Words what a prompt takes of a model's window. */
export function usePromptParts() {
  const { t, n } = useI18n();
  return {
    /** The parts of the bar: passages by rank, those that were cut too, then wording and question. */
    shares: (context: PromptContext) => [
      ...context.passages.map((passage) => ({
        name: String(passage.rank),
        share: passage.share,
        kind: passage.position === null ? ("cut" as const) : ("passage" as const),
        title: passage.position === null
          ? t("ui.prompt.cut", { rank: passage.rank, n: n(passage.tokens) })
          : t("ui.prompt.passage", { rank: passage.rank, n: n(passage.tokens), share: Math.round(100 * passage.share) }),
      })),
      { name: "·", share: context.frame_tokens / Math.max(1, context.prompt_tokens), kind: "frame" as const, title: t("ui.prompt.frame", { n: n(context.frame_tokens) }) },
    ],
    /** Its size, and the window it must fit into. */
    size: (context: PromptContext): string => [
      t(context.counted_by === "tokenizer" ? "ui.prompt.tokens" : "ui.prompt.tokensAtMost", { n: n(context.prompt_tokens) }),
      ...(context.window === null ? [] : [t("ui.prompt.window", { n: n(context.window) })]),
      ...(context.read_tokens === null ? [] : [t("ui.prompt.read", { n: n(context.read_tokens) })]),
    ].join(" · "),
  };
}
