/** The name for a dataset of a file or folder at a path: its last part without the extension. */
export function nameOfPath(path: string): string {
  const last = path.trim().replace(/[/\\]+$/u, "").split(/[/\\]/u).at(-1) ?? "";
  return last.replace(/\.[^.]*$/u, "").replaceAll(".", "-");
}

/** The name after another path was chosen: one that was typed stays, a suggestion follows the path. */
export function suggestName(name: string, before: string, path: string): string {
  return name.trim() === "" || name === nameOfPath(before) ? nameOfPath(path) : name;
}
