import { pageError, toServiceError } from "./errors";
import type { Backend, Host, Transport } from "./transport";
import type { ErrorBody, Event } from "./types.gen";

/** The event that carries job news into the window; the same name is in Go. */
const jobEvent = "job";

/** What the desktop window puts into the page before it runs. */
interface WindowBridge {
  readonly go?: { readonly main: { readonly App: Record<string, (request: object) => Promise<unknown>> } };
  readonly runtime?: WindowRuntime;
}

/** The part of the window's own functions that the page uses. */
interface WindowRuntime {
  EventsOn(name: string, listener: (event: never) => void): () => void;
  EventsEmit(name: string, data: object): void;
  ClipboardSetText(text: string): Promise<boolean>;
  OnFileDrop(listener: (x: number, y: number, paths: string[]) => void, onTargetsOnly: boolean): void;
  OnFileDropOff(): void;
}

/** What became of a file that the window was asked to keep. */
interface Saved {
  readonly id: number;
  readonly saved: boolean;
  readonly error: ErrorBody | null;
}

/** Has files kept by the window, which asks where to; the names of the events are in Go, too. */
function saver({ EventsOn, EventsEmit }: WindowRuntime): Host["save"] {
  let wishes = 0;
  return async (name, content) => {
    const id = ++wishes;
    const data = await base64(content);
    return new Promise((resolve, reject) => {
      const stop = EventsOn("saved", (outcome: Saved) => {
        if (outcome.id !== id) return;
        stop();
        if (outcome.error) reject(toServiceError(outcome.error));
        else resolve(outcome.saved);
      });
      EventsEmit("save", { id, name, data });
    });
  };
}

function base64(content: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => { resolve(typeof reader.result === "string" ? reader.result.replace(/^[^,]*,/u, "") : ""); };
    reader.onerror = () => { reject(reader.error ?? new Error("the file cannot be read")); };
    reader.readAsDataURL(content);
  });
}

/** Reaches the Service through the desktop window; null outside of it. */
export function wailsBackend(): Backend | null {
  const { go, runtime } = window as WindowBridge;
  if (!go || !runtime) return null;
  const transport: Transport = {
    // A bound method has no context: an aborted call runs on, and its answer is dropped.
    async call<Response>(operation: string, request: object, signal?: AbortSignal): Promise<Response> {
      const method = go.main.App[operation];
      if (!method) throw toServiceError(`the window has no operation ${operation}`);
      const answer = await method(request).catch((reason: unknown) => {
        signal?.throwIfAborted();
        throw toServiceError(reason);
      });
      signal?.throwIfAborted();
      return answer as Response;
    },
  };
  const host: Host = {
    async copyText(text) {
      if (!(await runtime.ClipboardSetText(text))) throw pageError("copy_refused");
    },
    save: saver(runtime),
    uploadFile: null,
    backupAddress: null,
    onPathsDropped(listener) {
      runtime.OnFileDrop((_x, _y, paths) => { listener(paths); }, false);
      return () => { runtime.OnFileDropOff(); };
    },
  };
  return {
    transport,
    host,
    events: {
      listen: (listener) =>
        runtime.EventsOn(jobEvent, (event: Event) => {
          listener.event(event);
        }),
    },
  };
}
