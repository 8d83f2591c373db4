import { describe, expect, it } from "vitest";
import { baselineOf, moveOf } from "./movement";

describe("moveOf", () => {
  it.each([
    [1, 3, { kind: "up", by: 2 }],
    [4, 1, { kind: "down", by: 3 }],
    [2, 2, { kind: "same" }],
    [5, null, { kind: "entered" }],
  ])("rank %s against %s", (rank, reference, want) => {
    expect(moveOf(rank, reference)).toEqual(want);
  });
});

describe("baselineOf", () => {
  it.each([
    [0, "first", null],
    [0, "previous", null],
    [3, "first", 0],
    [3, "previous", 2],
  ] as const)("column %s, %s", (i, baseline, want) => {
    expect(baselineOf(i, baseline)).toBe(want);
  });
});
