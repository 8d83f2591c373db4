import { expect, it } from "vitest";
import { sentenceRows, type Sentence } from "./sentences";

const said = (text: string): Sentence => ({ text, needs_source: true, markers: [], support: null });

it("sentenceRows lists both answers, each sentence once", () => {
  const [here, there] = [[said("a"), said("b2"), said("d")], [said("a"), said("b1"), said("c")]];
  const rows = sentenceRows(here, there, [
    { state: "same", here: 0, there: 0 },
    { state: "changed", here: 1, there: 1 },
    { state: "only_there", here: null, there: 2 },
    { state: "only_here", here: 2, there: null },
  ]);
  expect(rows.map(({ state, sentence, was }) => [state, sentence.text, was])).toEqual([
    ["same", "a", null], ["changed", "b2", "b1"], ["only_there", "c", null], ["only_here", "d", null],
  ]);
  expect(sentenceRows(here, [], null).map(({ state, sentence }) => [state, sentence.text])).toEqual([[null, "a"], [null, "b2"], [null, "d"]]);
});
