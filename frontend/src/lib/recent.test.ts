import { expect, it } from "vitest";
import { remember } from "./recent";

it("remember puts the newest first, once, within the limit", () => {
  expect(remember(["a", "b", "c"], "b", 3)).toEqual(["b", "a", "c"]);
  expect(remember(["a", "b", "c"], "d", 3)).toEqual(["d", "a", "b"]);
  expect(remember([], "a", 3)).toEqual(["a"]);
});
