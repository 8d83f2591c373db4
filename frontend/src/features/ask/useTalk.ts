import { computed, ref, shallowRef, watch } from "vue";
import { useApi } from "@/api";
import { isAbort, pageError, toServiceError, type ServiceError } from "@/api/errors";
import type { AskRequest, AskResponse, ConversationTurn, ErrorBody, Job } from "@/api/types.gen";
import { useFollowed } from "@/api/useFollowed";
import { useRecovery } from "@/api/useRecovery";
import { openSlot } from "@/lib/storage";

/** A question with what became of it. */
export interface Turn {
  readonly id: string;
  readonly request: AskRequest;
  readonly state: Job["state"];
  /** What was found, and the answer when it is whole; null before. */
  readonly answer: AskResponse | null;
  /** What a model has written so far. */
  readonly text: string;
  readonly error: ErrorBody | null;
}

/** Turns kept through a reload. */
const kept = 20;
/** Turns that a follow-up is understood by. */
const remembered = 6;

const slot = openSlot<Turn[]>(() => sessionStorage, "ragdesk.talk", [], (value): value is Turn[] =>
  Array.isArray(value) && value.every((one: unknown) => typeof one === "object" && one !== null && "id" in one && "request" in one && "state" in one));

/** A conversation: its turns, the last of which may still be written. */
export function useTalk() {
  const api = useApi();
  const followed = useFollowed();
  const turns = shallowRef<readonly Turn[]>(slot.read());
  const starting = ref("");
  /** What is being asked, for one question is asked once. */
  let sent = "";
  const error = shallowRef<ServiceError | null>(null);
  const trouble = useRecovery(error, () => resume());
  const busy = computed(() => starting.value !== "" || followed.running.value);
  let controller: AbortController | null = null;

  function keep(): void {
    slot.write(turns.value.slice(-kept));
  }

  watch(followed.job, (job) => {
    if (!job) return;
    turns.value = turns.value.map((turn) => (turn.id === job.id ? { ...turn, state: job.state, answer: job.answer ?? turn.answer, text: job.text || turn.text, error: job.error } : turn));
    if (job.state !== "running") keep();
  }, { flush: "sync" });

  /** What was said before, for a question that goes on with it: whole answers from the same library. */
  function history(kb: string): ConversationTurn[] {
    return turns.value
      .flatMap(({ answer, state }) => (state === "done" && answer?.kb === kb ? [{ question: answer.query, answer: answer.answer }] : []))
      .slice(-remembered);
  }

  async function ask(request: AskRequest): Promise<boolean> {
    const asked = JSON.stringify(request);
    if (starting.value !== "" && sent === asked) return false; // it is on its way
    sent = asked;
    controller?.abort();
    if (followed.running.value) await followed.stop();
    const mine = (controller = new AbortController());
    starting.value = request.query;
    error.value = null;
    try {
      const job = await api.startAsk(request, mine.signal);
      turns.value = [...turns.value, { id: job.id, request, state: job.state, answer: job.answer, text: job.text, error: job.error }];
      keep();
      followed.follow(job);
      return true;
    } catch (reason) {
      if (!isAbort(reason)) error.value = toServiceError(reason);
      return false;
    } finally {
      if (controller === mine) {
        controller = null;
        starting.value = "";
      }
    }
  }

  /** Goes on with the answer that a reload interrupted. */
  async function resume(): Promise<void> {
    const last = turns.value.at(-1);
    if (last?.state !== "running") return;
    try {
      if (await followed.resume(last.id)) return;
      const { code, message, params } = pageError("job_lost");
      turns.value = turns.value.map((turn) => (turn === last ? { ...turn, state: "failed", error: { code, message, params } } : turn));
      keep();
    } catch (reason) {
      error.value = toServiceError(reason);
    }
  }

  return {
    turns, starting, busy, error: trouble, lost: followed.lost, history, ask, resume,
    stop(): void {
      controller?.abort();
      void followed.stop();
    },
    clear(): void {
      void followed.stop();
      turns.value = [];
      keep();
    },
    drop(id: string): void {
      turns.value = turns.value.filter((turn) => turn.id !== id);
      keep();
    },
  };
}
