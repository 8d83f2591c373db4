import type { ErrorBody } from "./types.gen";

/** A failed operation, with the stable code that its words are found by. */
export class ServiceError extends Error {
  readonly code: string;
  readonly params: Readonly<Record<string, string>>;

  constructor(body: ErrorBody, options?: ErrorOptions) {
    super(body.message, options);
    this.name = "ServiceError";
    this.code = body.code;
    this.params = body.params;
  }
}

/** Codes that arise in the page itself; their words are under "ui.error". */
export type PageErrorCode = "unreachable" | "bad_answer" | "copy_refused" | "job_lost";

/** An error of the page's own. */
export function pageError(code: PageErrorCode, cause?: unknown): ServiceError {
  return new ServiceError({ code, message: code, params: {} }, { cause });
}

/**
 * Makes a ServiceError of whatever an edge rejected with: an error body, the
 * program's error response, or a bare string, which the window sends for
 * arguments it could not read.
 */
export function toServiceError(reason: unknown): ServiceError {
  if (reason instanceof ServiceError) return reason;
  if (isErrorBody(reason)) return new ServiceError(reason);
  if (isObject(reason) && isErrorBody(reason.error)) return new ServiceError(reason.error);
  const detail = reason instanceof Error ? reason.message : String(reason);
  return new ServiceError({ code: "internal", message: detail, params: { detail } }, { cause: reason });
}

/** Reports whether an operation ended because the page gave it up. */
export function isAbort(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "AbortError";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isErrorBody(value: unknown): value is ErrorBody {
  return isObject(value) && typeof value.code === "string" && typeof value.message === "string" && isObject(value.params);
}
