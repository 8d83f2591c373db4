import { describe, expect, it } from "vitest";
import { defaultSettings, fromAddress, fromRequest, toAddress, toRequest, validStrategies } from "./settings";

const known = ["vector", "bm25", "hybrid", "hybrid+rerank", "classic"];

describe("validStrategies", () => {
  it.each([
    ["kept", ["bm25", "classic"], ["bm25", "classic"]],
    ["unknown and repeated names go", ["bm25", "x", "bm25", "vector"], ["bm25", "vector"]],
    ["too few left", ["bm25", "x"], ["vector", "bm25", "hybrid", "hybrid+rerank"]],
    ["of runs", ["run:a", "run:b"], ["run:a", "run:b"]],
    ["a run alone", ["run:a"], ["run:a", "vector"]],
    ["too many", [...known], ["vector", "bm25", "hybrid", "hybrid+rerank"]],
  ])("%s", (_, wanted, want) => {
    expect(validStrategies(wanted, known)).toEqual(want);
  });
});

it("toRequest sends only the thresholds that are set", () => {
  const settings = defaultSettings();
  settings.thresholds.rerank = 0;
  expect(toRequest("k", "q", settings).retrieval).toMatchObject({ top_k: null, thresholds: { rerank: 0 } });
});

it("fromRequest takes back what toRequest sent", () => {
  const settings = { ...defaultSettings(), topK: 3, answer: true, model: "m", rewrite: "hyde" as const, fresh: true };
  settings.thresholds.bm25 = 2;
  const { baseline, ...sent } = settings;
  expect(baseline).toBe("first");
  expect(fromRequest(toRequest("k", "q", settings))).toEqual(sent);
  expect(toRequest("k", "q", { ...settings, answer: false }).model).toBe(""); // a model alone would be asked
});

describe("addresses", () => {
  it("are read back", () => {
    const settings = { ...defaultSettings(), strategies: ["bm25", "hybrid+rerank"], topK: 3 };
    expect(fromAddress(toAddress("法规", "a+b & c?", settings))).toEqual({
      kb: "法规", query: "a+b & c?", strategies: ["bm25", "hybrid+rerank"], topK: 3, model: null,
    });
  });

  it.each(["0", "-1", "x", "1.5"])("leave out the count %s", (k) => {
    expect(fromAddress({ k }).topK).toBeNull();
  });
});
