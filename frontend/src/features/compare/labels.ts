import { inject, ref, type InjectionKey, type Ref } from "vue";
import { useI18n } from "vue-i18n";
import { useApi } from "@/api";
import { toServiceError } from "@/api/errors";
import type { DatasetInfo, Hit } from "@/api/types.gen";
import { useErrorText } from "@/api/useErrorText";
import { openSlot } from "@/lib/storage";
import { useToasts } from "@/ui/toasts";

/** How far a passage answers: 2 answers, 1 background, 0 neither, null takes the label away. */
export type Grade = 0 | 1 | 2 | null;

/** Labels that are written from the board into a dataset. */
export interface Labels {
  /** The dataset that is written to; remembered. */
  readonly dataset: Ref<string>;
  readonly known: Readonly<Ref<readonly DatasetInfo[]>>;
  /** Grades given on this board, by chunk. */
  readonly given: Readonly<Ref<ReadonlyMap<string, number>>>;
  label(hit: Hit, grade: Grade): Promise<void>;
  load(): Promise<void>;
  /** Forgets the grades shown, as another question is asked. */
  clear(): void;
}

const slot = openSlot<string>(() => localStorage, "ragdesk.labels", "labels", (value): value is string => typeof value === "string" && value !== "");

/** Makes the labels of a board whose library and question are asked for anew each time. */
export function createLabels(asked: () => { kb: string; query: string } | null): Labels {
  const api = useApi();
  const toasts = useToasts();
  const { t } = useI18n();
  const { errorText } = useErrorText();
  const dataset = ref(slot.read());
  const known = ref<readonly DatasetInfo[]>([]);
  const given = ref<ReadonlyMap<string, number>>(new Map());
  return {
    dataset,
    known,
    given,
    async label(hit, grade) {
      const question = asked();
      if (!question) return;
      slot.write(dataset.value);
      try {
        const result = await api.labelPassage({ dataset: dataset.value.trim(), query_id: "", question: question.query, type: "", kb: question.kb, doc: hit.doc_id, span: hit.span, grade, replace: null });
        const next = new Map(given.value);
        if (grade === null) next.delete(hit.chunk_id);
        else next.set(hit.chunk_id, grade);
        given.value = next;
        toasts.show(t("ui.label.done", { dataset: result.dataset, n: result.questions }));
      } catch (reason) {
        toasts.show(errorText(toServiceError(reason)));
      }
    },
    async load() {
      known.value = await api.listDatasets({}).then((list) => list.datasets, () => known.value);
    },
    clear() {
      given.value = new Map();
    },
  };
}

/** Where the page leaves them for the cards. */
export const labelsKey: InjectionKey<Labels> = Symbol("labels");

/** The board's labels, inside a card's setup. */
export function useLabels(): Labels {
  const labels = inject(labelsKey);
  if (!labels) throw new Error("no labels were provided");
  return labels;
}
