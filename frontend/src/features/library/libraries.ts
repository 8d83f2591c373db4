import { ref, type Ref } from "vue";
import type { Api } from "@/api";
import { toServiceError, type ServiceError } from "@/api/errors";
import type { Info, KB } from "@/api/types.gen";

/** What the program is and which libraries it has. */
export interface Libraries {
  /** Null until the first answer. */
  readonly info: Readonly<Ref<Info | null>>;
  readonly kbs: Readonly<Ref<readonly KB[]>>;
  readonly error: Readonly<Ref<ServiceError | null>>;
  readonly loading: Readonly<Ref<boolean>>;
  load(): Promise<void>;
}

/** Makes the list of libraries; load fills it, and fills it anew. */
export function createLibraries(api: Pick<Api, "info" | "listKBs">): Libraries {
  const info = ref<Info | null>(null);
  const kbs = ref<readonly KB[]>([]);
  const error = ref<ServiceError | null>(null);
  const loading = ref(false);
  return {
    info,
    kbs,
    error,
    loading,
    async load() {
      loading.value = true;
      try {
        const [about, list] = await Promise.all([api.info({}), api.listKBs({})]);
        info.value = about;
        kbs.value = list.kbs;
        error.value = null;
      } catch (reason) {
        error.value = toServiceError(reason);
      } finally {
        loading.value = false;
      }
    },
  };
}
