import { useI18n } from "vue-i18n";
import { fill } from "@/lib/template";
import { useNames } from "@/lib/useNames";
import type { Advice } from "./runs.gen";

/** The parts of the reports' vocabulary that the page uses. */
export type ReportPart = "band" | "bucket" | "bucketnote" | "cause" | "citation" | "claim" | "kind" | "label" | "lang" | "method" | "missing" | "others" | "relevance" | "style" | "type" | "unit" | "var" | "verdict";

/** The words of evaluation reports in the page's language; unknown ones stand for themselves. */
export function useReportWords() {
  const { tm, te } = useI18n();
  const { strategyName, metricName } = useNames();
  const lookup = (key: string): string | null => {
    const text: unknown = te(key) ? tm(key) : null;
    return typeof text === "string" ? text : null;
  };
  const word = (part: ReportPart, name: string, params: Record<string, string> = {}): string => fill(lookup(`report.${part}.${name}`) ?? name, params);

  /** Translates the items of a list that is joined by commas, after its first word. */
  const each = (list: string, part: ReportPart): string =>
    list.split(", ").map((item) => {
      const [name = "", ...rest] = item.split(" ");
      return [lookup(`report.${part}.${item}`) ?? word(part, name), ...(lookup(`report.${part}.${item}`) === null ? rest : [])].join(" ");
    }).join(lookup("report.comma") ?? ", ");

  const adviceText = (advice: Advice): string => {
    const text = lookup(`report.advice.${advice.code}`);
    if (text === null) return advice.code;
    const comma = lookup("report.comma") ?? ", ";
    const params = Object.fromEntries(Object.entries(advice.params).map(([key, value]) => {
      if (key === "verdict") return [key, word("verdict", value)];
      if (key === "variables") return [key, each(value, "var")];
      if (key === "types") return [key, each(value, "type")];
      if (["run", "other", "a", "b", "own"].includes(key)) return [key, strategyName(value)];
      if (key === "runs") return [key, value.split(", ").map(strategyName).join(comma)];
      if (key === "metric") return [key, metricName(value)];
      if (key === "metrics") return [key, value.split(", ").map(metricName).join(comma)];
      return [key, value];
    }));
    return fill(text, params);
  };
  /** Words of one part as a list. */
  const list = (names: readonly string[], part: ReportPart): string => names.map((name) => word(part, name)).join(lookup("report.comma") ?? ", ");
  return { word, list, adviceText };
}
