import { describe, expect, it } from "vitest";
import en from "@locales/en.json";
import zh from "@locales/zh.json";

/** Texts of the page by their full key. */
function flatten(tree: object, prefix: string): Map<string, string> {
  const out = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === "string") out.set(prefix + key, value);
    else for (const [inner, text] of flatten(value as object, `${prefix}${key}.`)) out.set(inner, text);
  }
  return out;
}

const texts = { en: flatten((en as { ui: object }).ui, "ui."), zh: flatten((zh as { ui: object }).ui, "ui.") };
const placeholders = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/gu)].map((match) => match[1] ?? "").sort();

const files = import.meta.glob<string>("../**/*.{vue,ts}", { query: "?raw", import: "default", eager: true });
const sources = Object.entries(files)
  .filter(([name]) => !name.endsWith(".test.ts"))
  .map(([, source]) => source);

describe("the page's texts", () => {
  it("are the same keys in both languages", () => {
    expect([...texts.zh.keys()].sort()).toEqual([...texts.en.keys()].sort());
  });

  it("have the same placeholders in both languages", () => {
    for (const [key, text] of texts.en) {
      expect([key, placeholders(texts.zh.get(key) ?? "")]).toEqual([key, placeholders(text)]);
    }
  });

  it("hold no sign that has a meaning to the formatter", () => {
    const odd = [...texts.zh, ...texts.en].filter(([, text]) => /[@|]/u.test(text));
    expect(odd).toEqual([]);
  });

  it("are there for every key in the sources", () => {
    const used = sources.flatMap((source) => [...source.matchAll(/["'`](ui\.[a-zA-Z]+\.[a-zA-Z.]+)["'`]/gu)].map((match) => match[1] ?? ""));
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((key) => !texts.en.has(key))).toEqual([]);
  });

  it("hold what stands outside the page's own part", () => {
    const known = Object.keys(en);
    const heads = sources.flatMap((source) => [...source.matchAll(/\b(?:t|te|tm|lookup|known)\([`"']([a-z]+)\.[a-zA-Z.]*/gu)].map((match) => match[1] ?? ""));
    expect(new Set(heads).size).toBeGreaterThan(5);
    expect([...new Set(heads)].filter((head) => !known.includes(head))).toEqual([]);
  });

  it("are all used", () => {
    const all = sources.join("\n");
    // A key may be put together: its beginning is then in the sources.
    const starts = new Set([...all.matchAll(/[`"'](ui\.[a-zA-Z.]+\.)\$\{/gu)].map((match) => match[1] ?? ""));
    const unused = [...texts.en.keys()].filter((key) => !all.includes(key) && ![...starts].some((start) => key.startsWith(start)));
    expect(unused).toEqual([]);
  });
});
