import { expect, it } from "vitest";
import { nameTrouble } from "./names";

it("a library's name is what the program takes for one", () => {
  for (const name of ["a", "我的文档", "notes 2025.v2", "😀".repeat(100)]) expect(nameTrouble(name)).toBeNull();
  for (const name of ["", " ", "a/b", "a\\b", "a\nb", "x".repeat(101)]) {
    const trouble = nameTrouble(name);
    expect([trouble?.code, trouble?.params]).toEqual(["kb_name_invalid", { kb: name }]);
  }
});
