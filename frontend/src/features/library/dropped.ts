/** A file that was dropped, with its path inside what was dropped. */
export interface DroppedFile {
  readonly path: string;
  readonly file: File;
}

/** Lists dropped files, those inside of dropped folders too, by path. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFile[]> {
  // The items die with the event: all entries are taken before the first wait.
  const entries = [...transfer.items].flatMap((item) => {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    return entry ? [entry] : [];
  });
  const lists = await Promise.all(entries.map((entry) => walk(entry)));
  return lists.flat().sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(entry: FileSystemEntry): Promise<DroppedFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => { (entry as FileSystemFileEntry).file(resolve, reject); });
    return [{ path: entry.fullPath.replace(/^\/+/u, ""), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside: FileSystemEntry[] = [];
  // A folder is told in parts, until a part is empty.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (part.length === 0) break;
    inside.push(...part);
  }
  return (await Promise.all(inside.map((one) => walk(one)))).flat();
}

/** Files of an input, with the paths that a chosen folder gives them. */
export function chosenFiles(list: FileList): DroppedFile[] {
  return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}
