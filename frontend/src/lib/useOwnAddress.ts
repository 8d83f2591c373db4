import { onScopeDispose } from "vue";
import { isNavigationFailure, NavigationFailureType, useRouter, type LocationQueryRaw, type Router } from "vue-router";

/** Writes a query into the address of the screen that it belongs to. */
export type ShowInAddress = (query: LocationQueryRaw) => Promise<void>;

/**
 * Writes what a screen shows into its address, as long as the reader is there: work that
 * ends later, or while the next screen is still being fetched, must not take him back.
 * The screen is the one that is open now; stop ends the watching.
 */
export function ownAddress(router: Router): { readonly show: ShowInAddress; readonly stop: () => void } {
  const own = router.currentRoute.value.path;
  let leaving = false;
  const stops = [
    router.beforeEach((to) => { leaving = to.path !== own; }),
    // One that was cancelled was so by the next, which says itself where it goes.
    router.afterEach((_to, _from, failure) => { if (!isNavigationFailure(failure, NavigationFailureType.cancelled)) leaving = false; }),
    router.onError(() => { leaving = false; }),
  ];
  return {
    async show(query) {
      await new Promise((resolve) => { setTimeout(resolve); }); // who sets out in the same breath goes first
      if (!leaving && router.currentRoute.value.path === own) await router.replace({ query });
    },
    stop: () => { stops.forEach((stop) => { stop(); }); },
  };
}

/** What {@link ownAddress} does, for as long as the screen lives. */
export function useOwnAddress(): ShowInAddress {
  const { show, stop } = ownAddress(useRouter());
  onScopeDispose(stop);
  return show;
}
