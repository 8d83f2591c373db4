import { inject, ref, type InjectionKey, type Ref } from "vue";

/** Short news that goes away by itself. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  /** What takes it back, for a while. */
  readonly undo: { readonly label: string; readonly act: () => void } | null;
}

/** Shows toasts; the shell has one. */
export interface Toasts {
  readonly shown: Readonly<Ref<readonly Toast[]>>;
  show(text: string): void;
  /**
   * Says what is about to be done and waits; false when it was taken back in time. A page that is left
   * cannot take anything back any more: what waits is done then.
   */
  offer(text: string, label: string): Promise<boolean>;
}

const lifetime = 3500;
/** How long something can be taken back, in milliseconds. */
const patience = 8000;

/** Makes the list of toasts. */
export function createToasts(): Toasts {
  const shown = ref<readonly Toast[]>([]);
  let next = 1;
  const waiting = new Set<() => void>();
  addEventListener("pagehide", () => { waiting.forEach((act) => { act(); }); });
  const hide = (id: number): void => { shown.value = shown.value.filter((other) => other.id !== id); };
  return {
    shown,
    show(text) {
      const toast = { id: next++, text, undo: null };
      shown.value = [...shown.value, toast];
      setTimeout(() => { hide(toast.id); }, lifetime);
    },
    offer: (text, label) =>
      new Promise((resolve) => {
        const id = next++;
        const end = (done: boolean) => (): void => {
          clearTimeout(timer);
          waiting.delete(act);
          hide(id);
          resolve(done);
        };
        const act = end(true);
        const timer = setTimeout(act, patience);
        waiting.add(act);
        shown.value = [...shown.value, { id, text, undo: { label, act: end(false) } }];
      }),
  };
}

/** Where the shell leaves the toasts for the screens. */
export const toastsKey: InjectionKey<Toasts> = Symbol("toasts");

/** The toasts, inside a component's setup. */
export function useToasts(): Toasts {
  const toasts = inject(toastsKey);
  if (!toasts) throw new Error("no toasts were provided");
  return toasts;
}
