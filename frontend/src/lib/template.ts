/**
 * Fills the placeholders "{name}" of a catalogue text. The texts of errors and
 * notices are shared with the program, which fills them in the same way; a
 * placeholder without a value stays as it is.
 */
export function fill(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/\{([a-z][a-z0-9_]*)\}/gu, (all, name: string) => params[name] ?? all);
}
