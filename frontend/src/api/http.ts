import { pageError, toServiceError } from "./errors";
import type { Backend, EventListener, EventSourcePort, Host, Sending, Transport } from "./transport";
import type { Event, UploadedFile } from "./types.gen";

/** Reaches the Service through the server that served the page. */
export function httpBackend(language: () => string): Backend {
  return { transport: httpTransport(language), events: httpEvents, host: browserHost };
}

/** A request of a page that is being left outlives it. */
let leaving = false;
addEventListener("pagehide", () => { leaving = true; }, { capture: true });
addEventListener("pageshow", () => { leaving = false; });

function httpTransport(language: () => string): Transport {
  return {
    async call<Response>(operation: string, request: object, signal?: AbortSignal): Promise<Response> {
      const answer = await post(operation, request, language(), signal);
      const body = await read(answer, signal);
      if (!answer.ok) throw toServiceError(body);
      return body as Response;
    },
  };
}

async function post(operation: string, request: object, language: string, signal?: AbortSignal) {
  try {
    return await fetch(`api/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Ragdesk-Lang": language },
      body: JSON.stringify(request),
      signal: signal ?? null,
      keepalive: leaving,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw pageError("unreachable", cause);
  }
}

/** Reads an answer, which can be cut off or not be one of the program's at all. */
async function read(answer: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    return await answer.json();
  } catch (cause) {
    signal?.throwIfAborted();
    throw pageError(cause instanceof SyntaxError ? "bad_answer" : "unreachable", cause);
  }
}

/** A browser reopens the stream by itself and names the last event it saw. */
const httpEvents: EventSourcePort = {
  listen(listener: EventListener) {
    const source = new EventSource("api/events");
    source.addEventListener("job", (message: MessageEvent<string>) => {
      listener.event(JSON.parse(message.data) as Event);
    });
    // What happened before the stream was open is not in it.
    source.addEventListener("open", () => {
      listener.reset();
    });
    source.addEventListener("reset", () => {
      listener.reset();
    });
    return () => {
      source.close();
    };
  },
};

async function uploadFile(name: string, file: Blob, { signal, taken, sent }: Sending): Promise<UploadedFile> {
  const where = name.split("/").map(encodeURIComponent).join("/");
  const answer = await put(`api/files/${where}?taken=${taken}`, file, signal, sent);
  const body = await read(answer, signal);
  if (!answer.ok) throw toServiceError(body);
  return body as UploadedFile;
}

/** Sends bytes as fetch does, which does not tell how far it is. */
function put(address: string, bytes: Blob, signal: AbortSignal, sent?: (bytes: number) => void): Promise<Response> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => { request.abort(); };
    request.open("PUT", address);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => sent?.(event.loaded));
    request.addEventListener("load", () => { resolve(new Response(request.responseText, { status: request.status })); });
    request.addEventListener("error", () => { reject(pageError("unreachable", new Error(address))); });
    request.addEventListener("abort", () => { reject(signal.reason as Error); });
    request.addEventListener("loadend", () => { signal.removeEventListener("abort", abort); });
    signal.addEventListener("abort", abort);
    request.send(bytes);
  });
}

function saveBlob(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

const browserHost: Host = {
  uploadFile,
  backupAddress: (name) => `api/backups/${encodeURIComponent(name)}`,
  onPathsDropped: null,
  async copyText(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch (cause) {
      throw pageError("copy_refused", cause);
    }
  },
  save(name, content) {
    saveBlob(name, content);
    return Promise.resolve(true);
  },
};
