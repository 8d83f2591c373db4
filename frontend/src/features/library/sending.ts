import { computed, ref, shallowRef, type ComputedRef, type Ref, type ShallowRef } from "vue";
import type { Host } from "@/api/transport";
import type { DroppedFile } from "./dropped";

/** A file whose name another one has in the library's folder, with another text. */
export interface Clash {
  readonly path: string;
  /** The name that it gets beside the other. */
  readonly free: string;
  /** Whether it takes the other's place instead. */
  readonly replace: boolean;
}

/** How far files are on their way. */
export interface Progress {
  readonly name: string;
  readonly done: number;
  readonly total: number;
}

/** Sends files to where a library's uploads lie. */
export interface Outbox {
  /** What the reader has to say of before all is sent. */
  readonly clashes: Ref<readonly Clash[]>;
  readonly progress: Readonly<ShallowRef<Progress | null>>;
  readonly busy: ComputedRef<boolean>;
  /**
   * Sends files and tells where they lie; null where names are taken, which clashes lists then:
   * the next call does with those what the list says. Several files of one name all stay.
   */
  send(folder: string, files: readonly DroppedFile[]): Promise<string[] | null>;
  /** Forgets what was sent and asked, and stops what is on its way. */
  clear(): void;
}

/** Makes an outbox; nothing that lies in the folder is replaced but where a clash says so. */
export function createOutbox(upload: NonNullable<Host["uploadFile"]>): Outbox {
  const clashes = ref<readonly Clash[]>([]);
  const progress = shallowRef<Progress | null>(null);
  const sent = new Map<DroppedFile, string>();
  let target = "";
  let stop = new AbortController();

  function clear(): void {
    stop.abort();
    sent.clear();
    clashes.value = [];
    progress.value = null;
  }

  async function send(folder: string, files: readonly DroppedFile[]): Promise<string[] | null> {
    if (folder !== target) clear(); // what was asked was of another folder
    target = folder;
    const { signal } = (stop = new AbortController());
    const answers = new Map(clashes.value.map((one) => [one.path, one.replace ? "replace" : "beside"] as const));
    const asked: Clash[] = [];
    const one = async (item: DroppedFile, taken: "ask" | "beside" | "replace"): Promise<void> => {
      if (sent.has(item)) return;
      const told = { name: item.path, total: files.length };
      progress.value = { ...told, done: sent.size };
      const report = (bytes: number): void => { if (!signal.aborted) progress.value = { ...told, done: sent.size + bytes / Math.max(1, item.file.size) }; };
      const kept = await upload(`${folder}/${item.path}`, item.file, { signal, taken, sent: report });
      if (kept.path === "") asked.push({ path: item.path, free: kept.free, replace: false });
      else sent.set(item, kept.path);
    };
    const firsts = new Map([...files].reverse().map((item) => [item.path, item]));
    const [first, twins] = [files.filter((item) => firsts.get(item.path) === item), files.filter((item) => firsts.get(item.path) !== item)];
    try {
      for (const item of first) await one(item, answers.get(item.path) ?? "ask");
      clashes.value = asked;
      if (asked.length > 0) return null;
      for (const item of twins) await one(item, "beside");
      return [...new Set(files.flatMap((item) => sent.get(item) ?? []))];
    } finally {
      if (!signal.aborted) progress.value = null;
    }
  }

  return { clashes, progress, busy: computed(() => progress.value !== null), send, clear };
}
