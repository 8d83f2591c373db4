/** A score with at most four significant digits, as shown beside its stage. */
export function formatScore(score: number): string {
  if (!Number.isFinite(score)) return "–";
  const size = Math.abs(score);
  if (size >= 100) return score.toFixed(1);
  if (size >= 10) return score.toFixed(2);
  if (size >= 0.1 || size === 0) return score.toFixed(3);
  return score.toFixed(4);
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
