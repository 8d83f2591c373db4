import { inject, ref, type InjectionKey, type Ref } from "vue";

/** Short news that goes away by itself. */
export interface Toast {
  readonly id: number;
  readonly text: string;
}

/** Shows toasts; the shell has one. */
export interface Toasts {
  readonly shown: Readonly<Ref<readonly Toast[]>>;
  show(text: string): void;
}

const lifetime = 3500;

/** Makes the list of toasts. */
export function createToasts(): Toasts {
  const shown = ref<readonly Toast[]>([]);
  let next = 1;
  return {
    shown,
    show(text) {
      const toast = { id: next++, text };
      shown.value = [...shown.value, toast];
      setTimeout(() => {
        shown.value = shown.value.filter((other) => other.id !== toast.id);
      }, lifetime);
    },
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
