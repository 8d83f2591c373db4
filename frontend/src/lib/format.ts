/** A score with at most four significant digits, as shown beside its stage. */
export function formatScore(score: number): string {
  if (!Number.isFinite(score)) return "–";
  const size = Math.abs(score);
  if (size >= 100) return score.toFixed(1);
  if (size >= 10) return score.toFixed(2);
  if (size >= 0.1 || size === 0) return score.toFixed(3);
  return score.toFixed(4);
}

/** Two scores with as many digits as tell them apart. */
export function formatApart(a: number, b: number): [string, string] {
  const texts: [string, string] = [formatScore(a), formatScore(b)];
  for (let digits = 4; a !== b && texts[0] === texts[1] && digits <= 16; digits++) {
    texts[0] = a.toFixed(digits);
    texts[1] = b.toFixed(digits);
  }
  return texts;
}

/** A duration in milliseconds with its unit; units are the same in zh and en. */
export function formatMillis(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms >= 10) return `${ms.toFixed(0)} ms`;
  return `${ms.toFixed(1)} ms`;
}

/** Seconds left as m:ss, or h:mm:ss from an hour on. */
export function formatClock(seconds: number): string {
  const total = Math.max(0, Math.round(seconds));
  const pad = (n: number): string => String(n).padStart(2, "0");
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  return hours > 0 ? `${String(hours)}:${pad(minutes)}:${pad(total % 60)}` : `${String(minutes)}:${pad(total % 60)}`;
}

/** The last part of a path and what stands before it, slash included. */
export function splitPath(path: string): { folder: string; name: string } {
  const cut = path.lastIndexOf("/") + 1;
  return { folder: path.slice(0, cut), name: path.slice(cut) };
}

/** The folder that holds all of paths, slash included; empty where they have none in common. */
export function sharedFolder(paths: readonly string[]): string {
  const folders = paths.map((path) => splitPath(path).folder);
  let shared = folders[0] ?? "";
  for (const folder of folders) {
    while (!folder.startsWith(shared)) shared = splitPath(shared.slice(0, -1)).folder;
  }
  return shared;
}

/** A measure in [0, 1] with three decimals; a dash where there is none. */
export function formatRate(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? "–" : value.toFixed(3);
}

/** A difference with its sign; the minus is the typographic one. */
export function formatSigned(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? `±${text}` : `${value > 0 ? "+" : "−"}${text}`;
}

/** Bytes in the unit that fits, powers of ten as file managers show them. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${units[unit] ?? "B"}`;
}
