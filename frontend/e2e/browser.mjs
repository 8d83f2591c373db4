import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts Chromium with everything off that would look for a network. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
}

/** The page to show in place of the one that the program holds, for work on the page alone. */
const dist = process.env.RAGDESK_PAGE;
const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

/** @param {import("playwright-core").Page} page @param {string} folder */
async function servePage(page, folder) {
  await page.route(/^[^?]*\/(assets\/[^?]*|icon\.svg|index\.html)?$/u, async (route) => {
    const { pathname } = new URL(route.request().url());
    const name = pathname === "/" ? "/index.html" : pathname;
    const type = types[/** @type {keyof typeof types} */ (name.split(".").at(-1) ?? "html")];
    await route.fulfill({ body: readFileSync(folder + name), contentType: type });
  });
}

/**
 * Opens the page in a browser of its own kind of reader.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {{ language?: "zh" | "en", scheme?: "light" | "dark", width?: number, height?: number }} reader
 */
export async function openPage(browser, url, { language = "zh", scheme = "light", width = 1280, height = 800 } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    locale: language === "zh" ? "zh-CN" : "en-GB",
    colorScheme: scheme,
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== "blob:" && hostname !== "127.0.0.1") complaints.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  if (dist) {
    await servePage(page, dist);
    await page.reload();
  }
  return {
    page,
    /** Fails on an error in the console or a request to another machine. */
    assertClean() {
      assert.deepEqual(complaints, []);
    },
    /** Takes the complaints that a test has provoked out of the count. */
    takeComplaints: () => complaints.splice(0),
    /** Fails on a serious or critical violation of accessibility. */
    async assertAccessible() {
      await page.evaluate(axe);
      const found = await page.evaluate(async () => {
        // @ts-expect-error axe puts itself into the page
        const result = await globalThis.axe.run(document, { resultTypes: ["violations"] });
        return result.violations.map((/** @type {import("axe-core").Result} */ violation) => ({
          id: violation.id,
          impact: violation.impact,
          nodes: violation.nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`),
        }));
      });
      const serious = found.filter((/** @type {{ impact: string }} */ violation) => ["serious", "critical"].includes(violation.impact));
      assert.deepEqual(serious, []);
    },
    close: () => context.close(),
  };
}
