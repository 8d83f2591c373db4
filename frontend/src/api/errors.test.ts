import { describe, expect, it } from "vitest";
import { isAbort, pageError, toServiceError } from "./errors";

const body = { code: "kb_unknown", message: "no library 法规", params: { kb: "法规" } };

describe("toServiceError", () => {
  it.each([
    ["an error body", body],
    ["an error response", { error: body }],
  ])("reads %s", (_, reason) => {
    expect(toServiceError(reason)).toMatchObject({ code: "kb_unknown", message: body.message, params: body.params });
  });

  it.each([
    ["a bare string", "error parsing arguments: x", "error parsing arguments: x"],
    ["an exception", new TypeError("x is undefined"), "x is undefined"],
    ["half a body", { code: "kb_unknown" }, "[object Object]"],
    ["nothing", undefined, "undefined"],
  ])("makes %s internal", (_, reason, detail) => {
    expect(toServiceError(reason)).toMatchObject({ code: "internal", params: { detail } });
  });

  it("keeps a ServiceError", () => {
    const error = pageError("unreachable");
    expect(toServiceError(error)).toBe(error);
  });
});

it("isAbort knows only aborted work", () => {
  expect(isAbort(new DOMException("", "AbortError"))).toBe(true);
  expect(isAbort(new Error("AbortError"))).toBe(false);
});
