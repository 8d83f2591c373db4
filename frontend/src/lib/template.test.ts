import { expect, it } from "vitest";
import { fill } from "./template";

it.each([
  ["no library {kb}", { kb: "法规" }, "no library 法规"],
  ["{a}{a}", { a: "x" }, "xx"],
  ["{gone} stays", {}, "{gone} stays"],
  ["values are not templates: {a}", { a: "{b}", b: "no" }, "values are not templates: {b}"],
])("fill(%s)", (template, params, want) => {
  expect(fill(template, params)).toBe(want);
});
