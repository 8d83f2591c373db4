import { computed, onScopeDispose, type ComputedRef, type Ref } from "vue";
import { useApi } from "./index";
import { isLost } from "./connection";

/**
 * Lets a screen recover when the program answers again: an error that it did not is
 * taken away, and retry called. Returns the error that the screen shows itself, since
 * the shell says what holds for every screen.
 */
export function useRecovery<E extends { readonly code: string }>(error: Ref<E | null>, retry: () => unknown = () => undefined): ComputedRef<E | null> {
  onScopeDispose(useApi().connection.onBack(() => {
    if (!isLost(error.value)) return;
    error.value = null;
    void retry();
  }));
  return computed(() => (isLost(error.value) ? null : error.value));
}
