import { expect, it } from "vitest";
import { readPaths } from "./paths";

it.each([
  ["one", "/a/b", ["/a/b"]],
  ["blank lines and Windows line ends", "\r\n/a\r\n\n  C:\\docs \r\n", ["/a", "C:\\docs"]],
  ["quotes", "\"/a b\"\n'/c d'", ["/a b", "/c d"]],
  ["a quote inside stays", "/it's\n\"half", ["/it's", "\"half"]],
  ["repeated", "/a\n/a", ["/a"]],
  ["nothing", " \n", []],
])("readPaths: %s", (_, text, want) => {
  expect(readPaths(text)).toEqual(want);
});
