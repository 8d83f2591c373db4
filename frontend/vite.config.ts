import { readFile } from "node:fs/promises";
import { fileURLToPath, URL } from "node:url";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";

const locales = fileURLToPath(new URL("../backend/i18n/locales/", import.meta.url));
const src = fileURLToPath(new URL("./src/", import.meta.url));

/** The words of reports by dotted key, English first: what the page says of runs too. */
const reportWords = fileURLToPath(new URL("../backend/report/words.json", import.meta.url));
const reportParts = ["advice", "band", "bucket", "bucketnote", "cause", "citation", "claim", "comma", "kind", "label", "lang", "method", "others", "relevance", "style", "type", "unit", "var", "verdict"];

/** Gathers the parts that the page needs in one language, as a tree. */
async function reportTexts(place: 0 | 1): Promise<object> {
  const words = JSON.parse(await readFile(reportWords, "utf8")) as Record<string, [string, string]>;
  const tree: Record<string, unknown> = {};
  for (const [key, texts] of Object.entries(words)) {
    const path = key.split(".");
    if (!reportParts.includes(path[0] ?? "")) continue;
    let at = tree;
    for (const part of path.slice(0, -1)) at = (at[part] ??= {}) as Record<string, unknown>;
    at[path.at(-1) ?? ""] = texts[place];
  }
  return tree;
}

/**
 * The page and the program share one file of texts a language. The page takes its
 * own words, the errors, the notices, what is said of models, datasets, verdicts, judges
 * and the machine, and the words of reports; what only a terminal prints stays out.
 */
function pageTexts(): Plugin {
  const kept = ["ui", "error", "notice", "model", "reason", "doctor", "judge"];
  return {
    name: "ragdesk-page-texts",
    enforce: "pre",
    async load(id) {
      const file = id.split("?", 1)[0] ?? "";
      if (!file.startsWith(locales)) return null;
      this.addWatchFile(file);
      const all = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
      this.addWatchFile(reportWords);
      const texts = {
        ...Object.fromEntries(kept.map((key) => [key, all[key] ?? {}])),
        problem: (all.cli as Record<string, unknown>).problem,
        report: await reportTexts(file.endsWith("/en.json") ? 0 : 1),
      };
      return { code: JSON.stringify(texts), moduleType: "json" };
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [pageTexts(), vue()],
  resolve: { alias: { "@locales/": locales, "@/": src } },
  define: {
    __VUE_OPTIONS_API__: "false",
    __VUE_PROD_DEVTOOLS__: "false",
    __VUE_I18N_LEGACY_API__: "false",
    __VUE_I18N_FULL_INSTALL__: "false",
    __INTLIFY_PROD_DEVTOOLS__: "false",
    __INTLIFY_DROP_MESSAGE_COMPILER__: "false",
  },
  build: {
    // The web views of the systems ragdesk runs on, the oldest being macOS 12's.
    target: ["es2022", "safari15.4", "chrome105"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
  },
  server: { host: "127.0.0.1" },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
