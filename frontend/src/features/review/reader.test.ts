import { expect, it } from "vitest";
import { readerName } from "./reader";

it("calls a reader without a name the same in every language", () => {
  expect(["", " "].map(readerName)).toEqual(["me", "me"]);
});

it("keeps a name that was given", () => {
  expect(readerName("王芳")).toBe("王芳");
});
