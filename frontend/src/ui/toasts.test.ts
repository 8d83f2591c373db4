import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createToasts } from "./toasts";

const left: (() => void)[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  left.length = 0;
  vi.stubGlobal("addEventListener", (kind: string, listener: () => void) => { if (kind === "pagehide") left.push(listener); });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("what is offered to be taken back", () => {
  it("is done when nobody takes it back", async () => {
    const toasts = createToasts();
    const done = toasts.offer("removed", "undo");
    expect(toasts.shown.value).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await done).toBe(true);
    expect(toasts.shown.value).toEqual([]);
  });
  it("is not done when it is taken back", async () => {
    const toasts = createToasts();
    const done = toasts.offer("removed", "undo");
    toasts.shown.value[0]?.undo?.act();
    left.forEach((leave) => { leave(); });
    expect(await done).toBe(false);
  });
  it("is done at once when the page is left", async () => {
    const toasts = createToasts();
    const all = [toasts.offer("removed", "undo"), toasts.offer("removed too", "undo")];
    left.forEach((leave) => { leave(); });
    expect(await Promise.all(all)).toEqual([true, true]);
  });
});
