import { shallowRef, type ShallowRef } from "vue";
import { ServiceError } from "./errors";
import type { Host, Transport } from "./transport";

/** Whether the program behind the page answers. */
export interface Connection {
  /** Why it does not; null while it does. */
  readonly trouble: Readonly<ShallowRef<ServiceError | null>>;
  /** Looks now whether it answers again. */
  look(): Promise<void>;
  /** Calls listener each time it answers again, until the returned function is called. */
  onBack(listener: () => void): () => void;
}

/** How often a program that does not answer is looked for, in milliseconds. */
const lookEvery = 1500;

/** Reports whether an operation failed because nothing answered, or only a program that was started anew. */
export function isLost(error: { readonly code: string } | null): boolean {
  return error?.code === "unreachable" || error?.code === "key_invalid";
}

/** Watches a connection by what becomes of its operations, and looks for the program once it does not answer. */
export function watchConnection(transport: Transport, host: Host): { transport: Transport; host: Host; connection: Connection } {
  const trouble = shallowRef<ServiceError | null>(null);
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function answered(): void {
    if (!trouble.value) return;
    trouble.value = null;
    clearTimeout(timer);
    [...listeners].forEach((listener) => { listener(); });
  }

  function failed(reason: unknown): void {
    if (!(reason instanceof ServiceError)) return;
    if (!isLost(reason)) {
      answered(); // a refusal is an answer
      return;
    }
    trouble.value = reason;
    clearTimeout(timer);
    timer = setTimeout(() => void look(), lookEvery);
  }

  async function guarded<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      answered();
      return result;
    } catch (reason) {
      failed(reason);
      throw reason;
    }
  }

  const watched: Transport = { call: (operation, request, signal) => guarded(transport.call(operation, request, signal)) };
  const { uploadFile } = host;
  const look = (): Promise<void> => watched.call("Info", {}).then(() => undefined, () => undefined);
  return {
    transport: watched,
    host: { ...host, uploadFile: uploadFile && ((...sent) => guarded(uploadFile(...sent))) },
    connection: {
      trouble,
      look,
      onBack(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}
