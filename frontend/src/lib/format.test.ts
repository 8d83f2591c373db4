import { describe, expect, it } from "vitest";
import { formatApart, formatClock, formatMillis, formatScore, sharedFolder, splitPath } from "./format";

describe("formatScore", () => {
  it.each([
    [0.83124, "0.831"],
    [0, "0.000"],
    [-0.5, "-0.500"],
    [0.03278, "0.0328"],
    [12.345, "12.35"],
    [123.456, "123.5"],
    [Number.NaN, "–"],
  ])("%s", (score, want) => {
    expect(formatScore(score)).toBe(want);
  });
});

describe("formatMillis", () => {
  it.each([
    [0.42, "0.4 ms"],
    [34.4, "34 ms"],
    [1234, "1.23 s"],
    [12_340, "12.3 s"],
  ])("%s", (ms, want) => {
    expect(formatMillis(ms)).toBe(want);
  });
});

describe("formatClock", () => {
  it.each([
    [0, "0:00"],
    [65.4, "1:05"],
    [3661, "1:01:01"],
    [-3, "0:00"],
  ])("%s", (seconds, want) => {
    expect(formatClock(seconds)).toBe(want);
  });
});

it("splitPath keeps the slash with the folder", () => {
  expect(splitPath("a/b.md")).toEqual({ folder: "a/", name: "b.md" });
  expect(splitPath("b.md")).toEqual({ folder: "", name: "b.md" });
});

describe("sharedFolder", () => {
  it.each([
    ["one document", ["/w/uploads/plant/pump.md"], "/w/uploads/plant/"],
    ["one folder", ["/w/a/x.md", "/w/a/y.md"], "/w/a/"],
    ["a folder inside the other", ["/w/a/x.md", "/w/a/b/y.md"], "/w/a/"],
    ["names that begin alike", ["/w/plant/x.md", "/w/plants/x.md"], "/w/"],
    ["nothing in common", ["a/x.md", "b/x.md"], ""],
    ["no folder", ["x.md", "b/x.md"], ""],
    ["the root", ["/a/x.md", "/b/x.md"], "/"],
    ["none", [], ""],
  ])("%s", (_, paths, want) => {
    expect(sharedFolder(paths)).toBe(want);
  });
});

describe("formatApart", () => {
  it.each([
    [0.3, 0.4, ["0.300", "0.400"]],
    [0.39998, 0.4, ["0.39998", "0.40000"]],
    [2, 2, ["2.000", "2.000"]],
    [0.03, 0.4, ["0.0300", "0.400"]],
  ])("%s %s", (a, b, want) => {
    expect(formatApart(a, b)).toEqual(want);
  });
});
