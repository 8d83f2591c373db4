import { ref, type Ref } from "vue";

/** Work that is done once at a time. */
export interface Once<A extends readonly unknown[]> {
  /** It is under way. */
  readonly busy: Readonly<Ref<boolean>>;
  /** Does it; while it is under way, being asked again does nothing. */
  readonly act: (...given: A) => Promise<void>;
}

/** Makes work that a second click, or a key held down, does not begin anew before it has ended. */
export function useOnce<A extends readonly unknown[]>(work: (...given: A) => unknown): Once<A> {
  const busy = ref(false);
  return {
    busy,
    async act(...given) {
      if (busy.value) return;
      const result = work(...given);
      if (!(result instanceof Promise)) return;
      busy.value = true;
      try {
        await result;
      } finally {
        busy.value = false;
      }
    },
  };
}
