import { useI18n } from "vue-i18n";
import type { Problem } from "@/api/types.gen";

/** Words problems of a dataset in the page's language. */
export function useProblems() {
  const { t, tm, te } = useI18n();
  return (problem: Problem): string => {
    const key = `problem.${problem.code}`;
    const text: unknown = te(key) ? tm(key) : problem.code;
    return problem.detail === "" ? String(text) : t("ui.datasets.detail", { problem: String(text), detail: problem.detail });
  };
}
