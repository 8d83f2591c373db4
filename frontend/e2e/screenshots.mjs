// Every screen in both languages, light and dark, at three sizes, as PNG files in
// the folder named as argument. Further arguments narrow it: names of screens,
// zh or en, light or dark, or a width.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { launch, openPage } from "./browser.mjs";
import { startHost } from "./host.mjs";
import { startServer } from "./server.mjs";

const [folder = "screenshots", ...only] = process.argv.slice(2);
const wanted = (/** @type {string[]} */ ...options) => {
  const asked = only.filter((word) => options.includes(word));
  return asked.length > 0 ? asked : options;
};
const question = { zh: "机器扛不住的时候，系统怎样自动加机器，一次加几台？", en: "How long are audit logs kept for a Business customer in 2025?" };

/** The page's texts. @param {"zh" | "en"} language */
const texts = (language) => JSON.parse(readFileSync(new URL(`../../backend/i18n/locales/${language}.json`, import.meta.url), "utf8")).ui;
/** The run whose claims are reviewed, and the one that a language model judged. */
let judged = "";
let marked = "";
/** The runs of the sample questions. @type {string[]} */
let runs = [];

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
  async options(page, language) {
    await screens.compare?.(page, language);
    await page.getByRole("button", { name: new RegExp(`^${texts(language).options.more}`, "u") }).click();
    await page.getByRole("dialog").waitFor();
  },
  async prompt(page, language) {
    await screens.compare?.(page, language);
    await page.getByRole("button", { name: texts(language).column.prompt }).last().click();
    await page.getByRole("dialog").locator("pre").waitFor();
  },
  async answers(page, language) {
    await screens.compare?.(page, language);
    const answers = page.getByRole("switch", { name: texts(language).options.answer });
    if (!(await answers.isChecked())) await answers.click();
    await page.locator(".answer .sentences, .answer .words").first().waitFor();
  },
  async present(page, language) {
    await screens.compare?.(page, language);
    await page.getByRole("button", { name: texts(language).options.present, exact: true }).click();
    await page.locator("nav.rail").waitFor({ state: "hidden" });
  },
  async add(page, language) {
    await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
    await page.getByRole("button", { name: texts(language).compare.add }).first().click();
    await page.getByRole("dialog").waitFor();
  },
  async unread(page) {
    await page.evaluate(() => { location.hash = "#/library?kb=unread"; });
    await page.locator(".status.bad").first().waitFor();
  },
  async reindex(page, language) {
    await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
    await page.getByRole("button", { name: texts(language).library.reindex, exact: true }).click();
    await page.getByRole("dialog").waitFor();
  },
  async import(page, language) {
    await page.evaluate(() => { location.hash = "#/datasets?dataset=sample"; });
    await page.getByRole("button", { name: texts(language).datasets.import, exact: true }).click();
    await page.getByLabel(texts(language).datasets.path).fill(path.join(server.folder, "table.csv"));
    await page.getByRole("button", { name: texts(language).datasets.check }).click();
    await page.getByRole("columnheader").first().waitFor();
  },
  async question(page) {
    await page.evaluate(() => { location.hash = "#/datasets?dataset=sample"; });
    await page.locator(".list [role=listitem] button").first().click();
    await page.getByRole("dialog").waitFor();
  },
  async plots(page, language) {
    await page.evaluate(() => { location.hash = "#/datasets?dataset=sample"; });
    await page.getByRole("tab", { name: texts(language).datasets.plots }).click();
    await page.locator(".chart svg").first().waitFor();
  },
  async metrics(page, language) {
    await page.evaluate(() => { location.hash = "#/evaluate?dataset=one"; });
    const answers = page.getByRole("group", { name: texts(language).eval.answers });
    await answers.getByRole("button").first().click();
    await page.getByRole("group", { name: texts(language).eval.judge.by, exact: true }).waitFor();
  },
  async number(page) {
    await screens.evaluate?.(page, "en");
    await page.locator("button.cell").nth(3).click();
    await page.getByRole("dialog").locator("[role=listitem]").first().waitFor();
  },
  async questions(page) {
    await screens.evaluate?.(page, "en");
    await page.getByRole("tab").last().click();
    await page.locator(".list button.row").first().waitFor();
    await page.locator(".list button.row").first().scrollIntoViewIfNeeded();
  },
  async judge(page) {
    await page.evaluate((run) => { location.hash = `#/runs/${run}`; }, marked);
    await page.locator(".report").waitFor();
    await page.locator("tbody tr").filter({ has: page.locator("th[title=faithfulness]") }).locator("button.cell").first().click();
    const opened = page.getByRole("dialog");
    await opened.locator("summary").first().click();
    await opened.locator(".claims li").first().waitFor();
    await opened.locator("h5").first().scrollIntoViewIfNeeded();
  },
  async beside(page) {
    await page.evaluate((ids) => { location.hash = `#/runs?runs=${ids.join(",")}`; }, runs.slice(0, 2));
    await page.locator(".notes .note").nth(1).waitFor(); // not the report that was there before
    await page.locator(".chart svg").first().waitFor();
  },
  async ratings(page, language) {
    await screens.ask?.(page, language);
    await page.getByRole("button", { name: texts(language).rating.open }).click();
    await page.getByRole("dialog").waitFor();
  },
  async backup(page, language) {
    await page.evaluate(() => { location.hash = "#/settings"; });
    const panel = page.getByRole("region", { name: texts(language).backup.title });
    await panel.getByRole("listitem").first().waitFor();
    await panel.scrollIntoViewIfNeeded();
  },
  async restore(page, language) {
    await screens.backup?.(page, language);
    await page.getByRole("listitem").getByRole("button", { name: texts(language).backup.restore }).first().click();
    await page.getByRole("dialog").waitFor();
  },
  async unknown(page) {
    await page.evaluate(() => { location.hash = "#/library?kb=nosuch"; });
    await page.getByRole("alert").waitFor();
  },
};

/** @type {[number, number][]} */
const sizes = [[1280, 800], [1920, 1080], [900, 700]];

const model = "qwen3:1.7b";
const fact = "Business tenants stay at 180 days";

/** What a model says that judges or answers. @param {import("./host.mjs").Asked} asked */
function says({ prompt, schema }) {
  const keys = schema?.properties ?? {};
  if (!schema) return "Audit logs of a Business customer are kept for 180 days. [1]";
  if (keys.questions) return JSON.stringify({ questions: [question.en, "For how many days does Business keep audit logs?", "What is the plan's name?"].map((one) => ({ question: one, noncommittal: false })) });
  if (keys.faithfulness) return JSON.stringify({ unsupported: "", missing: "", faithfulness: { reason: "the 180 days stand in passage 1", mark: 5 }, relevance: { reason: "it names the days that were asked for", mark: 4 }, completeness: { reason: "the year is left out", mark: 4 } });
  const { minItems, items } = keys.verdicts;
  const verdict = items.properties.useful ? { useful: true, reason: "it holds the table of days" } : { quote: prompt.includes(fact) ? fact : "", reason: "the passage says so", verdict: "supported" };
  return JSON.stringify({ verdicts: Array.from({ length: minItems }, () => verdict) });
}

/** Answers that are judged, files that are not read, ratings, and a backup. */
async function prepare() {
  const { eval: answers } = await server.evaluate({ kb: "sample", dataset: "sample", strategies: ["hybrid+rerank"], metrics: ["faithfulness"] });
  judged = answers.runs[0].run_id;
  const lines = path.join(server.folder, "one.jsonl");
  writeFileSync(lines, `${JSON.stringify({ query_id: "logs", question: question.en, answers: ["180 days."], key_points: ["180 days"], gold: [{ doc: "company/data-retention.md" }] })}\n`);
  await server.call("ImportDataset", { file: lines, name: "one", kb: "", columns: null });
  const metrics = ["Recall@5", "faithfulness", "answer_relevancy", "key_points", "rubric_faithfulness", "rubric_relevance", "llm_context_precision", "llm_answer_relevancy"];
  const { eval: byModel } = await server.evaluate({ kb: "sample", dataset: "one", strategies: ["hybrid+rerank"], metrics, detector: "evidence,llm", judge_model: model });
  marked = byModel.runs[0].run_id;
  writeFileSync(path.join(server.folder, "table.csv"), "编号,提问,备注,出处,原文\n1,审计日志保留多久？,x,audit-log.md,180\n");
  const files = path.join(server.folder, "制度");
  mkdirSync(files);
  const bytes = { "考勤.md": "# 考勤\n\n每月十日前提交上月的考勤。", "damaged.pdf": "%PDF-1.7 and no more", "drawing.xyz": "no picture", "program.txt": Buffer.from(Array(99).fill([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 1, 2, 255]).flat()) };
  for (const [name, content] of Object.entries(bytes)) writeFileSync(path.join(files, name), content);
  await server.finished(await server.call("StartIngest", { kb: "unread", paths: [files] }));
  for (const [language, verdict] of /** @type {const} */ ([["zh", "up"], ["en", "down"]])) {
    const { answer: answered } = await server.finished(await server.call("StartAsk", {
      kb: "sample", query: question[language], strategy: "hybrid+rerank", model: "", fresh: false, num_ctx: 0, history: [], lang: "",
      retrieval: { top_k: null, candidates: null, fusion: null, reranker: null, rerank_depth: null, thresholds: {}, options: null },
    }));
    await server.call("RateAnswer", { id: "", answer: answered, verdict, reason: verdict === "down" ? "no number" : "" });
  }
  await server.finished(await server.call("StartExportBundle", { file: "", models: [], no_paths: false, overwrite: false }));
}

mkdirSync(folder, { recursive: true });
const browser = await launch();
const host = await startHost(model, says);
const server = await startServer({ host: host.url });
try {
  await server.buildSamples();
  runs = await server.evaluateSamples();
  await prepare();
  for (const language of /** @type {("zh" | "en")[]} */ (wanted("zh", "en"))) {
    for (const scheme of /** @type {("light" | "dark")[]} */ (wanted("light", "dark"))) {
      for (const [width, height] of sizes.filter(([w]) => wanted("1280", "1920", "900").includes(String(w)))) {
        const { page, close } = await openPage(browser, server.url, { language, scheme, width, height });
        await page.evaluate((ids) => { localStorage.setItem("ragdesk.evaluated", JSON.stringify(ids)); }, runs);
        for (const name of wanted(...Object.keys(screens))) {
          try {
            await screens[name]?.(page, language);
            await page.mouse.move(width - 1, 1);
            await page.waitForTimeout(250);
            const wrong = await page.evaluate(() => ({
              keys: document.body.innerText.match(/\b(ui|report|problem|doctor|judge)\.[a-z]+[a-zA-Z_.]*/gu)?.join(" ") ?? "",
              larger: document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight,
            }));
            if (wrong.keys || wrong.larger) throw new Error(`not translated: ${wrong.keys}; larger than the window: ${wrong.larger}`);
            await page.screenshot({ path: path.join(folder, `${name}-${language}-${scheme}-${width}.png`) });
          } catch (error) {
            await page.screenshot({ path: path.join(folder, `FAILED-${name}-${language}-${scheme}-${width}.png`) });
            process.exitCode = 1;
            console.error(`${name} ${language} ${scheme} ${width}: ${error}`);
          }
          while ((await page.getByRole("dialog").count()) > 0 || (await page.locator("[data-present]").count()) > 0) await page.keyboard.press("Escape");
        }
        await close();
      }
    }
  }
} finally {
  await browser.close();
  await server.stop();
  await host.stop();
}
