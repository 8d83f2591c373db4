import { expect, it } from "vitest";
import { openDrafts } from "./drafts";

function memory() {
  let kept: Readonly<Record<string, string>> = {};
  return { read: () => kept, write: (value: Readonly<Record<string, string>>) => { kept = value; } };
}

it("a wording that is not saved is there again later, and is gone once it is saved or dropped", () => {
  const slot = memory();
  openDrafts(slot).note("grounded.en", "mine", "old");
  const later = openDrafts(slot);
  expect(later.all.value).toEqual({ "grounded.en": "mine" });
  later.note("judge.en", "other", "old");
  later.note("grounded.en", "mine", "mine");
  expect(later.all.value).toEqual({ "judge.en": "other" });
  later.drop("judge.en");
  expect(openDrafts(slot).all.value).toEqual({});
});
