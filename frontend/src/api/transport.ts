import type { Operation } from "./client.gen";
import type { Event, UploadedFile } from "./types.gen";

/** Carries an operation to the Service and its answer back. */
export interface Transport {
  /**
   * Sends one request. Rejects with a ServiceError, or with the signal's reason
   * once it is aborted.
   */
  call<Response>(operation: Operation, request: object, signal?: AbortSignal): Promise<Response>;
}

/** What a listener of job events is told. */
export interface EventListener {
  event(event: Event): void;
  /** Events were missed: what is known of jobs must be read anew. */
  reset(): void;
}

/** The stream of job events. */
export interface EventSourcePort {
  /** Starts listening and returns what ends it. */
  listen(listener: EventListener): () => void;
}

/** How a file is sent. */
export interface Sending {
  readonly signal: AbortSignal;
  /** What becomes of it where another file has its name: nothing is kept, it lies beside, or it takes the other's place. */
  readonly taken: "ask" | "beside" | "replace";
  /** Hears how many bytes are on their way. */
  readonly sent?: (bytes: number) => void;
}

/** What the page can do on the machine it runs on. */
export interface Host {
  copyText(text: string): Promise<void>;
  /** Offers a file to keep; resolves to false when the reader thinks better of it. */
  save(name: string, content: Blob): Promise<boolean>;
  /** Sends a file to the workspace and tells where it lies there, or that its name is taken; null where paths are told instead. */
  uploadFile: ((name: string, file: Blob, how: Sending) => Promise<UploadedFile>) | null;
  /** Where one of the workspace's backups can be downloaded by its name; null where files are reached by their paths. */
  backupAddress: ((name: string) => string) | null;
  /** Calls listener with the paths of what is dropped into the window; null in a browser. */
  onPathsDropped: ((listener: (paths: string[]) => void) => () => void) | null;
}

/** Everything behind the page. */
export interface Backend {
  readonly transport: Transport;
  readonly events: EventSourcePort;
  readonly host: Host;
}
