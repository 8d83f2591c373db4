import { computed, onScopeDispose, ref, shallowRef } from "vue";
import { useI18n } from "vue-i18n";
import { useApi } from "./index";
import type { Model, ModelList } from "./types.gen";

/** Where answers come from without a model: word for word from the passages. */
export const extractive = "extractive";

/** What can answer: quoting, and the language models there are. */
export function useAnswerers() {
  const api = useApi();
  const { t } = useI18n();
  const list = shallowRef<ModelList | null>(null);
  const loading = ref(false);
  /** It was asked for when nothing answered. */
  let missed = false;
  onScopeDispose(api.connection.onBack(() => { if (missed) void load(); }));
  const models = computed(() => list.value?.models.filter((one) => one.kind === "chat" && one.installed && one.error === null) ?? []);

  function note(model: Model): string {
    const parts = [model.demonstration ? t("ui.answer.demonstration") : "", model.fit === "none" ? t("ui.answer.noMemory") : "", model.about];
    return parts.filter(Boolean).join(" · ");
  }
  const options = computed(() => [
    { value: extractive, label: t("ui.ask.extractive"), note: t("ui.ask.extractiveNote") },
    ...models.value.map((model) => ({ value: model.name, label: model.name, note: note(model) })),
  ]);

  /** Looks which models there are; an engine that has some is started for it. */
  async function load(): Promise<void> {
    if (loading.value) return;
    loading.value = true;
    try {
      list.value = await api.listModels({});
      missed = false;
    } catch {
      missed = true; // answers can be quoted without a model
    } finally {
      loading.value = false;
    }
  }

  return { list, models, options, loading, load };
}
