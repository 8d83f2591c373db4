/** A file that was dropped, with its path inside what was dropped. */
export interface DroppedFile {
  readonly path: string;
  readonly file: File;
}

/** Lists dropped files, those inside of dropped folders too, by path. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFile[]> {
  // The items die with the event: all entries are taken before the first wait.
  const entries = [...transfer.items].flatMap((item) => {
    if (item.kind !== "file") return [];
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    return entry ? [walk(entry)] : file ? [Promise.resolve([{ path: file.name, file }])] : [];
  });
  const lists = await Promise.all(entries);
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
