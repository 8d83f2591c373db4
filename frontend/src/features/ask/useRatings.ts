import { shallowRef, type ShallowRef } from "vue";
import { useApi } from "@/api";
import { toServiceError, type ServiceError } from "@/api/errors";
import type { AskResponse, Rating } from "@/api/types.gen";
import { useRecovery } from "@/api/useRecovery";

/** What was said of answers, as the workspace keeps it. */
export interface Ratings {
  readonly list: Readonly<ShallowRef<readonly Rating[]>>;
  readonly error: Readonly<ShallowRef<ServiceError | null>>;
  load(): Promise<void>;
  /** The rating of an answer, null for none. */
  of(answer: AskResponse): Rating | null;
  rate(answer: AskResponse, verdict: Rating["verdict"], reason: string): Promise<boolean>;
}

/** Keeps the ratings, inside a component's setup. */
export function useRatings(): Ratings {
  const api = useApi();
  const list = shallowRef<readonly Rating[]>([]);
  const error = shallowRef<ServiceError | null>(null);

  async function guarded(work: () => Promise<unknown>): Promise<boolean> {
    error.value = null;
    try {
      await work();
      list.value = (await api.listRatings({ verdict: "", kb: "" })).ratings;
      return true;
    } catch (reason) {
      error.value = toServiceError(reason);
      return false;
    }
  }

  const load = async (): Promise<void> => { await guarded(() => Promise.resolve()); };
  return {
    list,
    error: useRecovery(error, load),
    load,
    of: (answer) => list.value.find((one) => one.kb === answer.kb && one.question === answer.query && one.answer === answer.answer && one.fingerprint === answer.fingerprint) ?? null,
    rate: (answer, verdict, reason) => guarded(() => api.rateAnswer({ id: "", answer, verdict, reason })),
  };
}
