import { computed, onScopeDispose, reactive, ref, shallowRef, watch } from "vue";
import { useApi } from "@/api";
import { isAbort, toServiceError, type ServiceError } from "@/api/errors";
import type { CompareRequest, CompareResponse } from "@/api/types.gen";
import { isOneOf, isStrings, openSlot } from "@/lib/storage";
import { remember } from "@/lib/recent";
import { isRunStrategy } from "@/lib/runStrategy";
import { defaultSettings, toRequest } from "./settings";

const recentLimit = 8;
/** How long settings must rest before they are asked for. */
const restMillis = 250;

const slots = {
  recent: openSlot<string[]>(() => localStorage, "ragdesk.recent", [], isStrings),
  strategies: openSlot<string[]>(() => localStorage, "ragdesk.strategies", [], isStrings),
  baseline: openSlot(() => localStorage, "ragdesk.baseline", "first", isOneOf(["first", "previous"])),
};

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
  const loading = ref(false);
  const recent = ref(slots.recent.read());

  const request = computed<CompareRequest>(() => toRequest(kb.value, query.value.trim(), settings));
  const signature = computed(() => JSON.stringify(request.value));
  /** The answer in view is to another question or other settings. */
  const stale = computed(() => response.value !== null && answered.value !== signature.value);

  let controller: AbortController | null = null;
  let rest: ReturnType<typeof setTimeout> | undefined;

  async function run(): Promise<void> {
    clearTimeout(rest);
    if (request.value.query === "" || request.value.kb === "") return;
    controller?.abort();
    const mine = (controller = new AbortController());
    const asked = signature.value;
    loading.value = true;
    error.value = null;
    recent.value = remember(recent.value, request.value.query, recentLimit);
    slots.recent.write(recent.value);
    try {
      response.value = await api.compare(request.value, mine.signal);
      answered.value = asked;
    } catch (reason) {
      if (isAbort(reason)) return; // a later question took its place
      error.value = toServiceError(reason);
    } finally {
      if (controller === mine) {
        controller = null;
        loading.value = false;
      }
    }
  }

  function stop(): void {
    clearTimeout(rest);
    controller?.abort();
    controller = null;
    loading.value = false;
  }

  // Settings and library take effect by themselves; a question waits for Enter.
  watch(
    () => signature.value + "\n" + query.value,
    (now, before) => {
      if (!settings.strategies.some(isRunStrategy)) slots.strategies.write(settings.strategies);
      const typed = now.slice(now.indexOf("\n")) !== before.slice(before.indexOf("\n"));
      if (typed || (response.value === null && error.value === null)) return;
      clearTimeout(rest);
      rest = setTimeout(() => void run(), restMillis);
    },
  );
  watch(() => settings.baseline, (baseline) => { slots.baseline.write(baseline); });
  onScopeDispose(stop);

  return { kb, query, settings, response, error, loading, stale, recent, run, stop };
}
