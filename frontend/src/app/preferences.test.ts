import { expect, it } from "vitest";
import { preferredLanguage } from "./preferences";

it.each([
  [["zh-TW", "en"], "zh"],
  [["fr-FR", "en-GB", "zh"], "en"],
  [["ZH"], "zh"],
  [["fr"], "en"],
  [[], "en"],
])("preferredLanguage(%j)", (tags, want) => {
  expect(preferredLanguage(tags)).toBe(want);
});
