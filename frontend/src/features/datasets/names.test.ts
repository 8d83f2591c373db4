import { expect, it } from "vitest";
import { nameOfPath, suggestName } from "./names";

it("names a dataset after its file or folder", () => {
  expect(["/data/制度.csv", "C:\\data\\q.v2.jsonl", "/data/nfcorpus/", ""].map(nameOfPath)).toEqual(["制度", "q-v2", "nfcorpus", ""]);
});

it("follows the file until a name is typed", () => {
  expect(suggestName("", "", "/a/one.csv")).toBe("one");
  expect(suggestName("one", "/a/one.csv", "/a/two.csv")).toBe("two");
  expect(suggestName("mine", "/a/one.csv", "/a/two.csv")).toBe("mine");
});
