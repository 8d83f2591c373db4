import { pageError, toServiceError } from "./errors";
import type { Backend, Host, Transport } from "./transport";
import type { Event } from "./types.gen";

/** The event that carries job news into the window; the same name is in Go. */
const jobEvent = "job";

/** What the desktop window puts into the page before it runs. */
interface WindowBridge {
  readonly go?: { readonly main: { readonly App: Record<string, (request: object) => Promise<unknown>> } };
  readonly runtime?: {
    EventsOn(name: string, listener: (event: Event) => void): () => void;
    ClipboardSetText(text: string): Promise<boolean>;
    OnFileDrop(listener: (x: number, y: number, paths: string[]) => void, onTargetsOnly: boolean): void;
    OnFileDropOff(): void;
  };
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
    saveText: null,
    saveBlob: null,
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
        runtime.EventsOn(jobEvent, (event) => {
          listener.event(event);
        }),
    },
  };
}
