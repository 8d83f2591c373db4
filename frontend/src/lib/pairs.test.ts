import { describe, expect, it } from "vitest";
import { oldestFirst, partnerOf } from "./pairs";

const run = (dataset: string, kb: string, created: string) => ({ dataset: { name: dataset }, library: { kb }, created });

describe("what a dataset belongs to", () => {
  const runs = [run("mine", "notes", "2026-11-02T00:00:00Z"), run("mine", "old", "2026-11-01T00:00:00Z"), run("mine", "gone", "2026-11-03T00:00:00Z")];
  it.each([
    ["dataset", "mine", ["gbk", "old", "notes"], "notes"],
    ["dataset", "gbk", ["notes", "gbk"], "gbk"],
    ["dataset", "other", ["notes"], "notes"],
    ["dataset", "other", ["notes", "gbk"], null],
    ["library", "old", ["gbk", "mine"], "mine"],
  ] as const)("%s %s among %j: %s", (side, name, choices, want) => {
    expect(partnerOf(side, name, choices, runs)).toBe(want);
  });
});

it("the older run comes first, however they were ticked", () => {
  const runs = [{ run_id: "new", created: "2026-11-02T00:00:00Z" }, { run_id: "old", created: "2026-11-01T00:00:00Z" }];
  expect(oldestFirst(["new", "old"], runs)).toEqual(["old", "new"]);
  expect(oldestFirst(["old", "new"], runs)).toEqual(["old", "new"]);
});
