import type { DocumentStatus, IngestRequest } from "@/api/types.gen";

/** Reads files and folders into a library, by the library's own settings. */
export const reading = (kb: string, paths: string[]): IngestRequest => ({
  kb, paths, retry: false, chunker: "", chunk_size: null, chunk_overlap: null, embedder: "", sync: false, encoding: "", ocr: false, tags: [], limits: {},
});

/** Whether a file gave the library nothing that can be found, or not what it holds by now. */
export const isUnread = (file: DocumentStatus): boolean => file.path !== null || file.status === "needs_ocr";

/** Reads files again that were not read; scans with recognition of their text. */
export const rereading = (kb: string, files: readonly DocumentStatus[]): IngestRequest => ({
  ...reading(kb, files.map((file) => file.source)), retry: true, ocr: files.some((file) => file.status === "needs_ocr"),
});
