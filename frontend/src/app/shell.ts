import { inject, type InjectionKey } from "vue";
import type { Libraries } from "@/features/library/libraries";
import type { Preferences } from "./preferences";

/** What the shell and its screens share. */
export interface Shell {
  readonly libraries: Libraries;
  readonly preferences: Preferences;
}

/** Where main leaves it. */
export const shellKey: InjectionKey<Shell> = Symbol("shell");

/** The shell, inside a component's setup. */
export function useShell(): Shell {
  const shell = inject(shellKey);
  if (!shell) throw new Error("no shell was provided");
  return shell;
}
