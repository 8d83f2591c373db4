import { expect, it } from "vitest";
import { clickGuard } from "./clicks";

it("the second of a double click is meant for what the first one hit", () => {
  const meant = clickGuard();
  expect(meant({ detail: 1, target: "ask" })).toBe(true);
  expect(meant({ detail: 2, target: "stop" })).toBe(false);
  expect(meant({ detail: 3, target: "stop" })).toBe(false);
  expect(meant({ detail: 1, target: "stop" })).toBe(true);
});

it("clicks in a row on one control all count, and so do keys", () => {
  const meant = clickGuard();
  expect([1, 2, 3].map((detail) => meant({ detail, target: "next" }))).toEqual([true, true, true]);
  expect(meant({ detail: 0, target: "other" })).toBe(true);
});
