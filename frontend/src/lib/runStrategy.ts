/** The beginning of a strategy that is the pipeline of a stored run. */
const prefix = "run:";

/** The strategy that is the pipeline of a stored run. */
export const runStrategy = (id: string): string => prefix + id;

/** Reports whether a strategy is the pipeline of a stored run. */
export const isRunStrategy = (strategy: string): boolean => strategy.startsWith(prefix);

/** What the id of a run tells of it: when it was made, and its name as far as letters and digits spell it. Null for other strategies. */
export function runOf(strategy: string): { readonly name: string; readonly created: Date } | null {
  const parts = /^run:(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(.+)-[0-9a-f]+$/u.exec(strategy);
  if (!parts) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  return { name: (parts[7] ?? "").replace(/-rerank$/u, "+rerank"), created: new Date(Date.UTC(year, month - 1, day, hour, minute, second)) };
}
