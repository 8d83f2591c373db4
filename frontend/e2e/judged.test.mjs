// Answers judged by a language model that says what it is told to, so that caps, sums and warnings are known.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { startHost } from "./host.mjs";
import { startServer } from "./server.mjs";

const model = "qwen3:1.7b";
const honest = "The cluster never has fewer than 4 or more than 24 nodes.";
const invented = "Every node runs a chess engine that was bought in Lisbon.";
const questions = [
  { query_id: "nodes", question: "How many nodes does the search cluster have at most?", answers: ["24 nodes."], key_points: ["24 nodes"] },
  { query_id: "least", question: "How many nodes does the search cluster never go below?", answers: ["4 nodes."], key_points: ["4 nodes"] },
  { query_id: "engine", question: "What else runs on a node of the search cluster?", answers: ["Nothing."], key_points: [] },
  { query_id: "bought", question: "Where was the software of the search cluster bought?", answers: ["Nowhere."], key_points: [] },
].map((one) => ({ ...one, gold: [{ doc: "company/capacity-runbook-en.md" }] }));
const askedBack = ["How many nodes does the search cluster have at most?", "What is the most nodes that the cluster has?", "Which city is nice?"];

/** What the model says: an answer, or the JSON that a schema asks for. @param {import("./host.mjs").Asked} asked */
function says({ prompt, schema }) {
  const keys = schema?.properties ?? {};
  if (!schema) return /What else|Where was/u.test(prompt) ? `${invented} [1]` : `${honest} [1]`;
  if (keys.questions) return JSON.stringify({ questions: askedBack.map((question) => ({ question, noncommittal: false })) });
  if (keys.faithfulness) {
    const mark = (/** @type {string} */ reason, /** @type {number} */ value) => ({ reason, mark: value });
    return JSON.stringify({ unsupported: prompt.includes(invented) ? invented : "", missing: "the city", faithfulness: mark("all of it is there", 5), relevance: mark("it answers directly", 4), completeness: mark("the city is left out", 1) });
  }
  const { minItems, items } = keys.verdicts;
  if (items.properties.useful) return "Passage 1 is nice."; // no JSON, whatever is asked
  return JSON.stringify({ verdicts: Array.from({ length: minItems }, () => ({ quote: "", reason: "nothing says so", verdict: "unverifiable" })) });
}

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof startHost>>} */
let host;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;

before(async () => {
  browser = await launch();
  host = await startHost(model, says);
  server = await startServer({ host: host.url });
  await server.buildSamples();
  const file = path.join(server.folder, "four.jsonl");
  writeFileSync(file, questions.map((one) => `${JSON.stringify(one)}\n`).join(""));
  await server.call("ImportDataset", { file, name: "four", kb: "", columns: null });
});
after(async () => {
  await browser?.close();
  await server?.stop();
  await host?.stop();
});

/** A person says of every claim of a run what there is, and of one good claim the contrary of the detector. @param {string} source @param {string} by */
async function label(source, by) {
  const { items } = await server.call("ReviewQueue", { source, sample: "100%", seed: 1, by, limit: 100, labelled: false });
  assert.equal(items.length, 4);
  for (const { key, claim, question } of items) {
    await server.call("LabelClaim", { source, key, by, state: claim.includes("Lisbon") || question.includes("below") ? "unverifiable" : "supported", note: "" });
  }
}

/** @type {Record<string, string[]>} */
const words = JSON.parse(readFileSync(new URL("../../backend/report/words.json", import.meta.url), "utf8"));
const number = (/** @type {string} */ text) => Number(text.replace("−", "-"));

for (const language of /** @type {const} */ (["zh", "en"])) {
  const all = JSON.parse(readFileSync(new URL(`../../backend/i18n/locales/${language}.json`, import.meta.url), "utf8"));
  /** @param {any} texts @param {string} key @param {Record<string, string | number>} params */
  const say = (texts, key, params) => String(key.split(".").reduce((at, part) => at[part], texts)).replace(/\{(\w+)\}/gu, (_, name) => String(params[name]));
  /** @param {string} key @param {Record<string, string | number>} params */
  const t = (key, params = {}) => say(all.ui, key, params);

  describe(`answers judged by a model in ${language}`, () => {
    it("warns of the judge, and opens marks with their caps, metrics with their sums, raw replies, and κ with its interval", async () => {
      const opened = await openPage(browser, server.url, { language, scheme: language === "zh" ? "light" : "dark" });
      const { page } = opened;
      const inReport = (/** @type {string} */ key) => words[key]?.[language === "en" ? 0 : 1] ?? key;
      const choose = async (/** @type {string} */ text) => {
        await page.getByRole("combobox", { name: new RegExp(`^${text}`, "u") }).click();
        await page.getByRole("option", { name: model }).click();
      };
      try {
        await page.evaluate(() => { location.hash = "#/evaluate?dataset=four&kb=sample"; });
        await page.getByRole("group", { name: t("eval.answers"), exact: true }).getByRole("button").first().click(); // faithfulness
        const marks = page.getByRole("group", { name: t("eval.judge.marks"), exact: true }).getByRole("button");
        for (const at of [0, 3, 5, 6, 8]) await marks.nth(at).click(); // a mark, questions asked back, key points, citations, passages
        await page.getByRole("group", { name: t("eval.judge.by"), exact: true }).getByRole("button").nth(1).click(); // llm beside evidence
        await choose(t("eval.answeredBy"));
        await choose(t("eval.judge.model"));
        const strategies = page.getByRole("group", { name: t("eval.strategies"), exact: true }).getByRole("button", { pressed: true });
        while ((await strategies.count()) > 1) await strategies.last().click();
        const warnings = page.locator(".form .notice.warning");
        assert.equal(await warnings.count(), 2, "the judge is the generator, and it is small");
        await opened.assertAccessible();
        await page.getByRole("button", { name: t("eval.start"), exact: true }).click();
        await page.locator(".report").waitFor({ timeout: 50_000 });
        const said = await page.locator(".report").innerText();
        for (const code of ["judge_is_generator", "judge_small"]) assert.ok(said.includes(say({ text: inReport(`advice.${code}`) }, "text", { model })), `the report does not warn of ${code}`);

        // The further detector has rows of its own, and says how often it agrees: nothing is supported, so in two of four.
        const named = (/** @type {string} */ key) => inReport(key).replace("{detector}", ".*");
        for (const [key, value] of [["others.hallucination", /1\.000/u], ["others.agree", /2 \/ 4/u]]) {
          assert.match(await page.getByRole("row", { name: new RegExp(named(String(key)), "u") }).first().innerText(), /** @type {RegExp} */ (value));
        }
        assert.match(said, new RegExp(inReport("style.length").split(/[(（]/u)[0] ?? "", "u"));

        // A mark of the rubric: 5 was given, and something had no support.
        const cell = async (/** @type {string} */ metric) => {
          const row = page.locator("tr").filter({ has: page.locator(`th[title="${metric}"]`).or(page.locator("th").getByText(metric)) });
          await row.locator("button.cell").first().click();
          return page.getByRole("dialog");
        };
        const answerTo = (/** @type {import("playwright-core").Locator} */ inside, /** @type {string} */ text) =>
          inside.locator("details.opened").filter({ has: page.locator("summary.row").filter({ hasText: text }) });
        let dialog = await cell("rubric_faithfulness");
        const bought = answerTo(dialog, "Where was");
        await bought.locator("summary.row").click();
        const capped = bought.locator("li").filter({ hasText: t("eval.judge.cap", { given: 5, mark: 3, why: say(all, "judge.cap.unsupported", {}) }) });
        await capped.waitFor();
        assert.match(await capped.innerText(), /0\.500/u, "(3 − 1) / 4");
        await bought.getByText(t("eval.judge.missing")).waitFor();
        // What the model wrote, word for word, and why some of it is of no use.
        await bought.locator(".replies summary").click();
        await bought.locator("pre").filter({ hasText: "Passage 1 is nice." }).first().waitFor();
        await bought.locator("pre").filter({ hasText: `"unsupported":"${invented}"` }).first().waitFor();
        await opened.assertAccessible();
        await page.keyboard.press("Escape");

        // The value of a metric is the mean of what the answer opens to.
        dialog = await cell("llm_answer_relevancy");
        const nodes = answerTo(dialog, "at most");
        await nodes.locator("summary.row").click();
        const asked = nodes.locator("li").filter({ hasText: t("eval.judge.part.asked") }).locator("li");
        assert.equal(await asked.count(), askedBack.length);
        const cosines = (await asked.allInnerTexts()).map((text) => number(text.split(" · ")[0] ?? ""));
        const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
        const value = number(await nodes.locator("summary.row b").innerText());
        assert.ok(Math.abs(mean - value) < 0.002, `${cosines.join(" ")} have the mean ${mean}, not ${value}`);
        assert.ok(Math.max(...cosines) > 0.99, "the question itself was asked back");
        await nodes.locator("li").filter({ hasText: ` = ${value.toFixed(3)}` }).waitFor();
        await page.keyboard.press("Escape");

        // Without a value an answer opens all the same, with the reason.
        dialog = await cell("llm_context_precision");
        await dialog.locator("summary.row").first().click();
        await dialog.locator("details.opened").first().getByText(say(all, "reason.reply_malformed", { detail: "not one JSON object" })).first().waitFor();
        await page.keyboard.press("Escape");

        const { runs } = await server.call("ListRuns", {});
        await label(runs[0].run_id, `reader-${language}`);
        await page.evaluate((run) => { location.hash = `#/runs?runs=${run}`; }, runs[0].run_id);
        const kappa = page.getByRole("region", { name: t("eval.headline") }).locator("tbody td").last();
        await kappa.locator(".ci").first().waitFor();
        assert.match(await kappa.innerText(), /^0\.\d+\s*[−\d.]+–[\d.]+/u, "κ has no interval");
        await opened.assertAccessible();
        opened.assertClean();
      } finally {
        await opened.close();
      }
    });
  });
}
