/** A click: how many in a row it ends, and what it hit. */
interface Click {
  readonly detail: number;
  readonly target: unknown;
}

/**
 * Tells which clicks are meant for what they hit. The second of a double click hits what is
 * under the pointer by then: the button that stops what the first one started, or a row that
 * moved up. It is meant only where the first one hit the same.
 */
export function clickGuard(): (click: Click) => boolean {
  let first: unknown = null;
  return ({ detail, target }) => {
    if (detail > 1) return target === first; // from the keyboard it is 0
    first = target;
    return true;
  };
}

/**
 * Keeps clicks that are not meant for a control away from it, and the second click of a
 * double click from one with data-once: what it starts may have ended in between.
 */
export function guardClicks(root: Document): void {
  const meant = clickGuard();
  root.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("button, a, summary, [role=button], [role=option], [role=menuitem]") : null;
    const again = event.detail > 1 && (target?.hasAttribute("data-once") ?? false);
    if ((meant({ detail: event.detail, target }) && !again) || target === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
}
