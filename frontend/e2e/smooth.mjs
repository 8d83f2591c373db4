// How smooth the page is with 10,000 documents in a library, 5,000 questions in a
// dataset and 200 passages on the screen, beside a library that fills the screen
// once. Prints a table; the libraries are read by the program itself.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { launch, openPage } from "./browser.mjs";
import { startServer } from "./server.mjs";

const documents = Number(process.argv[2] ?? 10_000);
const questions = Math.round(documents / 2);
/** Passages a column; four columns show 200. */
const depth = 50;
/** Each figure is the median of so many. */
const rounds = 5;
/** Documents and questions of the library beside it. */
const screenful = 40;
const goods = ["打印纸", "键盘", "显示器", "办公椅", "白板笔", "投影仪", "路由器", "电池"];
const rule = (/** @type {number} */ i) => `第 ${i} 号制度规定${goods[i % goods.length]}的领用办法：每人每季度可领 ${i % 97} 件，超出的由部门主管批准。`;

const server = await startServer();
const browser = await launch();

/** Makes a library of n rules with a dataset of m questions. @param {string} kb @param {number} n @param {number} m */
async function build(kb, n, m) {
  const folder = path.join(server.folder, kb);
  mkdirSync(folder);
  for (let i = 0; i < n; i++) writeFileSync(path.join(folder, `制度-${i}.md`), `# 制度 ${i}\n\n${rule(i)}\n`);
  await server.finished(await server.call("StartIngest", { kb, paths: [folder] }));
  const rows = Array.from({ length: m }, (_, i) => ({ query_id: `q${i}`, question: `${goods[i % goods.length]}按第 ${i} 号制度怎样领？`, type: i % 2 ? "factual" : "", gold: [{ doc: `制度-${i}`, quote: rule(i) }] }));
  writeFileSync(`${folder}.jsonl`, rows.map((row) => JSON.stringify(row)).join("\n"));
  await server.call("ImportDataset", { file: `${folder}.jsonl`, name: kb, kb: "" });
}

const median = (/** @type {number[]} */ values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/**
 * Loads a screen anew, and types in its field.
 * @param {string} hash @param {string} there what is drawn at first @param {string} field @param {string} text
 * @param {string} [all] what is waited for before typing
 */
async function measure(hash, there, field, text, all = there) {
  const opened = await openPage(browser, server.url);
  const { page } = opened;
  await page.addInitScript((first) => {
    const seen = /** @type {any} */ (globalThis);
    seen.blocked = [];
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) seen.blocked.push(entry.duration); }).observe({ type: "longtask" });
    const look = () => { if (document.querySelector(first)) seen.drawn ??= performance.now(); else requestAnimationFrame(look); };
    requestAnimationFrame(look);
  }, there);
  const painted = [];
  const drawn = [];
  const blocked = [];
  for (let i = 0; i < rounds; i++) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await page.reload();
    await page.locator(there).first().waitFor();
    await page.locator(all).first().waitFor();
    painted.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
    drawn.push(await page.evaluate(() => /** @type {any} */ (globalThis).drawn));
    await page.waitForTimeout(500);
    await page.evaluate(() => { /** @type {any} */ (globalThis).blocked = []; });
    await page.locator(field).last().click();
    await page.keyboard.type(text, { delay: 60 });
    await page.waitForTimeout(300);
    blocked.push(Math.max(0, ...(await page.evaluate(() => /** @type {any} */ (globalThis).blocked))));
  }
  const nodes = await page.evaluate((one) => document.querySelectorAll(one).length, there);
  await opened.close();
  return { painted: median(painted), drawn: median(drawn), blocked: median(blocked), worst: Math.max(...blocked), nodes };
}

try {
  await build("few", screenful, screenful);
  await build("many", documents, questions);
  const cases = (/** @type {string} */ kb) => [
    ["Library", `#/library?kb=${kb}`, ".list [role=listitem]", "[role=searchbox], input[type=search]", "制度-123"],
    ["Datasets", `#/datasets?dataset=${kb}`, ".list [role=listitem]", "[role=searchbox], input[type=search]", "打印纸按第 1"],
    ["Compare", `#/compare?${new URLSearchParams({ kb, q: "打印纸怎样领用？", k: String(depth) }).toString()}`, "article.card", "[role=search] [role=combobox]:is(input)", "键盘怎样领", '[aria-busy="false"] article.card'],
  ];
  console.log(`${documents} documents, ${questions} questions, ${4 * depth} passages, beside ${screenful} of each; median of ${rounds}\n`);
  console.log("screen    first paint ms (few)  first content ms (few, ratio)  typing blocked ms, median / worst (few)  rows drawn");
  const few = cases("few");
  for (const [i, [name = "", ...rest]] of cases("many").entries()) {
    const large = await measure(.../** @type {[string, string, string, string, string?]} */ (rest));
    const small = await measure(.../** @type {[string, string, string, string, string?]} */ (few[i]?.slice(1) ?? []));
    console.log(`${name.padEnd(9)} ${large.painted.toFixed(0)} (${small.painted.toFixed(0)})  ${large.drawn.toFixed(0)} (${small.drawn.toFixed(0)}, ${(large.drawn / small.drawn).toFixed(2)}×)  ${large.blocked.toFixed(0)} / ${large.worst.toFixed(0)} (${small.blocked.toFixed(0)} / ${small.worst.toFixed(0)})  ${large.nodes}`);
  }
} finally {
  await browser.close();
  await server.stop();
}
