import { expect, it } from "vitest";
import { isRunStrategy, runOf, runStrategy } from "./runStrategy";

it("a run's id tells its name and time", () => {
  const strategy = runStrategy("20261130-093616-hybrid-rerank-ab12cd");
  expect(isRunStrategy(strategy)).toBe(true);
  expect(runOf(strategy)).toEqual({ name: "hybrid+rerank", created: new Date("2026-11-30T09:36:16Z") });
});

it.each(["hybrid", "run:", "run:x", "@pipeline.yaml"])("%s is of no run that can be read", (strategy) => {
  expect(runOf(strategy)).toBeNull();
});
