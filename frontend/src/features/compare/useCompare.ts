import { computed, onScopeDispose, reactive, ref, shallowRef, watch } from "vue";
import { useApi } from "@/api";
import { isAbort, ServiceError, toServiceError } from "@/api/errors";
import type { CompareRequest, CompareResponse } from "@/api/types.gen";
import { useFollowed } from "@/api/useFollowed";
import { useRecovery } from "@/api/useRecovery";
import { isOneOf, isStrings, openSlot } from "@/lib/storage";
import { remember } from "@/lib/recent";
import { isRunStrategy } from "@/lib/runStrategy";
import type { Writing } from "./board";
import { defaultSettings, fromRequest, toRequest } from "./settings";

const recentLimit = 8;
/** How long settings must rest before they are asked for. */
const restMillis = 250;

const slots = {
  recent: openSlot<string[]>(() => localStorage, "ragdesk.recent", [], isStrings),
  strategies: openSlot<string[]>(() => localStorage, "ragdesk.strategies", [], isStrings),
  baseline: openSlot(() => localStorage, "ragdesk.baseline", "first", isOneOf(["first", "previous"])),
};

/** A comparison as a job, and what it was asked; kept so that a reload takes it up again. */
interface Asked {
  readonly id: string;
  readonly request: CompareRequest;
}
const isAsked = (value: unknown): value is Asked | null =>
  value === null || (typeof value === "object" && "id" in value && typeof value.id === "string" && "request" in value && typeof value.request === "object");
const askedSlot = openSlot<Asked | null>(() => sessionStorage, "ragdesk.compare", null, isAsked);

/** The question, its settings, and the comparison that was last answered. */
export function useCompare() {
  const api = useApi();
  const kb = ref("");
  const query = ref("");
  const settings = reactive({
    ...defaultSettings(),
    strategies: slots.strategies.read(),
    baseline: slots.baseline.read(),
  });
  const response = shallowRef<CompareResponse | null>(null);
  const answered = ref("");
  const error = shallowRef<ServiceError | null>(null);
  const trouble = useRecovery(error, () => run());
  const starting = ref(false);
  const recent = ref(slots.recent.read());
  const followed = useFollowed();
  /** What the job in view was asked. */
  const asked = shallowRef<CompareRequest | null>(null);

  const request = computed<CompareRequest>(() => toRequest(kb.value, query.value.trim(), settings));
  const signature = computed(() => JSON.stringify(request.value));
  /** The answer in view is to another question or other settings. */
  const stale = computed(() => response.value !== null && answered.value !== signature.value);
  /** Nothing of what was asked for is there yet. */
  const loading = computed(() => starting.value || (followed.running.value && followed.job.value?.comparison === null));
  /** How far the answers are; null when none were asked for. */
  const writing = computed<Writing | null>(() => {
    const job = followed.job.value;
    return job && asked.value?.answer ? { running: followed.running.value, text: job.text } : null;
  });

  let controller: AbortController | null = null;
  /** What was sent last: the same is not sent again while it is on its way. */
  let sent = "";
  let rest: ReturnType<typeof setTimeout> | undefined;

  watch(followed.job, (job) => {
    if (!job) return;
    if (job.comparison && asked.value) {
      response.value = job.comparison;
      answered.value = JSON.stringify(asked.value);
    }
    if (job.state === "failed" && job.error) error.value = new ServiceError(job.error);
  }, { flush: "sync" });

  async function run(): Promise<void> {
    clearTimeout(rest);
    const wanted = request.value;
    if (wanted.query === "" || wanted.kb === "") return;
    if (controller && sent === signature.value) return; // it is on its way
    sent = signature.value;
    controller?.abort();
    void followed.stop();
    const mine = (controller = new AbortController());
    starting.value = true;
    error.value = null;
    recent.value = remember(recent.value, wanted.query, recentLimit);
    slots.recent.write(recent.value);
    try {
      const job = await api.startCompare(wanted, mine.signal);
      asked.value = wanted;
      askedSlot.write({ id: job.id, request: wanted });
      followed.follow(job);
    } catch (reason) {
      if (isAbort(reason)) return; // a later question took its place
      error.value = toServiceError(reason);
    } finally {
      if (controller === mine) {
        controller = null;
        starting.value = false;
      }
    }
  }

  /** Takes up the comparison that a reload interrupted, when it is the one the address names. */
  async function resume(inKb: string, text: string): Promise<boolean> {
    const last = askedSlot.read();
    if (last?.request.kb !== inKb || last.request.query !== text) return false;
    asked.value = last.request;
    starting.value = true;
    try {
      if (!(await followed.resume(last.id))) return false;
      Object.assign(settings, fromRequest(last.request));
      kb.value = inKb;
      query.value = text;
      return true;
    } catch {
      return false; // asking anew tells why
    } finally {
      starting.value = false;
    }
  }

  function stop(): void {
    clearTimeout(rest);
    controller?.abort();
    controller = null;
    starting.value = false;
    void followed.stop();
  }

  // Settings and library take effect by themselves; a question waits for Enter.
  watch(
    () => signature.value + "\n" + query.value,
    (now, before) => {
      if (!settings.strategies.some(isRunStrategy)) slots.strategies.write(settings.strategies);
      const typed = now.slice(now.indexOf("\n")) !== before.slice(before.indexOf("\n"));
      if (typed || answered.value === signature.value || (response.value === null && error.value === null)) return;
      clearTimeout(rest);
      rest = setTimeout(() => void run(), restMillis);
    },
  );
  watch(() => settings.baseline, (baseline) => { slots.baseline.write(baseline); });
  onScopeDispose(() => {
    clearTimeout(rest);
    controller?.abort();
  });

  return { kb, query, settings, response, error: trouble, loading, lost: followed.lost, writing, stale, recent, run, resume, stop };
}
