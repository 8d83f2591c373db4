import { describe, expect, it } from "vitest";
import { answerParts } from "./citations";

const shape = (answer: string): string =>
  answerParts(answer).map((p) => (p.kind === "marker" ? `<${String(p.marker)}>` : p.text)).join("");

describe("answerParts", () => {
  it.each([
    ["no marker", "plain", "plain"],
    ["at the end", "Add servers.[1]", "Add servers.<1>"],
    ["two together", "a[1][2]b", "a<1><2>b"],
    ["full width", "扩容【2】。再平衡［3］。", "扩容<2>。再平衡<3>。"],
    ["not a number", "a[x] b[] c[1234]", "a[x] b[] c[1234]"],
    ["empty", "", ""],
  ])("%s", (_, answer, want) => {
    expect(shape(answer)).toBe(want);
  });

  it("keeps every character", () => {
    const answer = "😀[1] 𠮷【2】x";
    expect(answerParts(answer).map((p) => p.text).join("")).toBe(answer);
  });
});
