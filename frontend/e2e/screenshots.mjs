// Every screen in both languages, light and dark, at three sizes, as PNG files in
// the folder named as argument. Further arguments narrow it: names of screens,
// zh or en, light or dark, or a width.
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { launch, openPage } from "./browser.mjs";
import { startServer } from "./server.mjs";

const [folder = "screenshots", ...only] = process.argv.slice(2);
const wanted = (/** @type {string[]} */ ...options) => {
  const asked = only.filter((word) => options.includes(word));
  return asked.length > 0 ? asked : options;
};
const question = { zh: "机器扛不住的时候，系统怎样自动加机器，一次加几台？", en: "How long are audit logs kept for a Business customer in 2025?" };

/** The page's texts. @param {"zh" | "en"} language */
const texts = (language) => JSON.parse(readFileSync(new URL(`../../backend/i18n/locales/${language}.json`, import.meta.url), "utf8")).ui;
/** The run whose claims are reviewed. */
let judged = "";

/** How each screen is reached, from an open page. @type {Record<string, (page: import("playwright-core").Page, language: "zh" | "en") => Promise<void>>} */
const screens = {
  async start(page) {
    await page.evaluate(() => { location.hash = "#/compare"; });
    await page.getByRole("search").waitFor();
  },
  async compare(page, language) {
    await page.evaluate((q) => { location.hash = `#/compare?kb=sample&q=${encodeURIComponent(q)}`; }, question[language]);
    await page.locator('[aria-busy="false"] article').first().waitFor();
  },
  async palette(page) {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
  },
  async library(page) {
    await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
    await page.getByRole("listitem").first().waitFor();
  },
  async document(page) {
    await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
    await page.getByRole("listitem").getByRole("button").first().click();
    await page.locator(".piece").first().waitFor();
  },
  async ask(page, language) {
    await page.evaluate((q) => { location.hash = `#/ask?kb=sample&q=${encodeURIComponent(q)}`; }, question[language]);
    await page.locator("article.turn").first().waitFor();
  },
  async datasets(page) {
    await page.evaluate(() => { location.hash = "#/datasets?dataset=sample"; });
    await page.locator(".list [role=listitem]").first().waitFor();
  },
  async evaluate(page) {
    await page.evaluate(() => { location.hash = "#/evaluate?dataset=sample"; });
    await page.locator(".report").waitFor();
    await page.locator(".chart svg").first().waitFor();
  },
  async runs(page) {
    await page.evaluate(() => { location.hash = "#/runs"; });
    await page.getByRole("listitem").first().waitFor();
  },
  async causes(page) {
    await page.evaluate(() => { location.hash = "#/evaluate?dataset=sample"; });
    await page.locator(".report").waitFor();
    await page.getByRole("tab").nth(1).click();
  },
  async review(page) {
    await page.evaluate((run) => { location.hash = `#/review?run=${run}`; }, judged);
    await page.locator("article.claim mark").first().waitFor();
  },
  async agreement(page) {
    await page.evaluate((run) => { location.hash = `#/review?run=${run}`; }, judged);
    await page.locator("article.claim mark").first().waitFor();
    await page.getByRole("tab").nth(1).click();
    await page.locator(".hero .kappa").waitFor();
  },
  async words(page, language) {
    await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
    await page.getByRole("button", { name: texts(language).words.open, exact: true }).click();
    await page.getByRole("dialog").waitFor();
  },
  async tune(page, language) {
    await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
    await page.getByRole("button", { name: texts(language).tune.open, exact: true }).click();
    await page.getByRole("dialog").waitFor();
  },
  async prompts(page, language) {
    await page.evaluate(() => { location.hash = "#/settings"; });
    await page.getByRole("region", { name: texts(language).prompts.title }).scrollIntoViewIfNeeded();
  },
  async models(page) {
    await page.evaluate(() => { location.hash = "#/models"; });
    await page.locator("article").first().waitFor();
  },
  async settings(page) {
    await page.evaluate(() => { location.hash = "#/settings"; });
    await page.locator(".checks li").first().waitFor();
  },
};

/** @type {[number, number][]} */
const sizes = [[1280, 800], [1920, 1080], [900, 700]];

mkdirSync(folder, { recursive: true });
const browser = await launch();
const server = await startServer();
try {
  await server.buildSamples();
  const runs = await server.evaluateSamples();
  const { eval: answers } = await server.evaluate({ kb: "sample", dataset: "sample", strategies: ["hybrid+rerank"], metrics: ["faithfulness"] });
  judged = answers.runs[0].run_id;
  for (const language of /** @type {("zh" | "en")[]} */ (wanted("zh", "en"))) {
    for (const scheme of /** @type {("light" | "dark")[]} */ (wanted("light", "dark"))) {
      for (const [width, height] of sizes.filter(([w]) => wanted("1280", "1920", "900").includes(String(w)))) {
        const { page, close } = await openPage(browser, server.url, { language, scheme, width, height });
        await page.evaluate((ids) => { localStorage.setItem("ragdesk.evaluated", JSON.stringify(ids)); }, runs);
        for (const name of wanted(...Object.keys(screens))) {
          try {
            await screens[name]?.(page, language);
            await page.waitForTimeout(250);
            await page.screenshot({ path: path.join(folder, `${name}-${language}-${scheme}-${width}.png`) });
          } catch (error) {
            await page.screenshot({ path: path.join(folder, `FAILED-${name}-${language}-${scheme}-${width}.png`) });
            process.exitCode = 1;
            console.error(`${name} ${language} ${scheme} ${width}: ${error}`);
          }
          if (["palette", "words", "tune"].includes(name)) await page.keyboard.press("Escape");
        }
        await close();
      }
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
