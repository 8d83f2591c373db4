import { useI18n } from "vue-i18n";

/** Says why something is as it is: the reason of a verdict, or of one that is missing. */
export function useReason(): (reason: string, detail?: string) => string {
  const { t, te } = useI18n();
  return (reason, detail = "") => {
    if (!te(`reason.${reason}`)) return reason;
    const said = t(`reason.${reason}`, { detail });
    return detail === "" ? said.replace(/ ?[(（][)）]|[:：]\s*$/u, "") : said; // nothing stands in the brackets, or behind the colon
  };
}
