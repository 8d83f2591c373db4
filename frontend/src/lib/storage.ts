/**
 * A value kept in the browser under a key. Storage can be switched off, full, or
 * hold what an older version wrote: reading then gives the fallback, and writing
 * does nothing.
 */
export interface Slot<T> {
  read(): T;
  write(value: T): void;
}

/** Opens a slot; accept tells whether what was found is a T. */
export function openSlot<T>(
  area: () => Storage,
  key: string,
  fallback: T,
  accept: (value: unknown) => value is T,
): Slot<T> {
  return {
    read() {
      try {
        const value: unknown = JSON.parse(area().getItem(key) ?? "null");
        return accept(value) ? value : fallback;
      } catch {
        return fallback;
      }
    },
    write(value) {
      try {
        area().setItem(key, JSON.stringify(value));
      } catch {
        // The page works without a memory.
      }
    },
  };
}

/** Accepts lists of strings. */
export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Accepts one of the given strings. */
export function isOneOf<const T extends string>(options: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => options.some((option) => option === value);
}
