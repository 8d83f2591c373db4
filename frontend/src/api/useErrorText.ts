import { useI18n } from "vue-i18n";
import { fill } from "@/lib/template";
import type { Notice } from "./types.gen";

/** What an error is worded from: an error body or a ServiceError. */
interface Worded {
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Words errors and notices in the page's language, so that they change with it.
 * The catalogue's text wins over the message the program sent.
 */
export function useErrorText() {
  const { tm, te } = useI18n();
  // tm gives the text as written; t would read it as a message with a syntax.
  const lookup = (key: string): string | null => {
    const text: unknown = te(key) ? tm(key) : null;
    return typeof text === "string" ? text : null;
  };
  return {
    errorText: (error: Worded): string => {
      const text = lookup(`ui.error.${error.code}`) ?? lookup(`error.${error.code}`);
      if (text === null) return error.message;
      const { problem, ...others } = error.params;
      return fill(text, problem === undefined ? error.params : { ...others, problem: lookup(`problem.${problem}`) ?? problem });
    },
    noticeText: (notice: Notice): string => {
      const text = lookup(`notice.${notice.code}`);
      return text === null ? [notice.code, notice.detail].filter(Boolean).join(": ") : fill(text, { detail: notice.detail });
    },
  };
}
