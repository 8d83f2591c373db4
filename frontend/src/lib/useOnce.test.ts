import { expect, it } from "vitest";
import { useOnce } from "./useOnce";

it("work is not begun anew before it has ended", async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const { busy, act } = useOnce((name: string) => {
    begun.push(name);
    return new Promise<void>((resolve) => { ends.push(resolve); });
  });
  const first = act("first");
  void act("second");
  expect([begun, busy.value]).toEqual([["first"], true]);
  ends[0]?.();
  await first;
  expect(busy.value).toBe(false);
  void act("third");
  expect(begun).toEqual(["first", "third"]);
});

it("work that failed can be tried again, and its failure is told", async () => {
  const { busy, act } = useOnce(() => Promise.reject(new Error("no")));
  await expect(act()).rejects.toThrow("no");
  expect(busy.value).toBe(false);
});

it("what is done at once can be done again at once", () => {
  let n = 0;
  const { act } = useOnce(() => { n++; });
  void act();
  void act();
  expect(n).toBe(2);
});
