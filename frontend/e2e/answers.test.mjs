// Answers by a real model: SmolLM2 on the engine that the program carries.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { startServer, talkative } from "./server.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {string} */
let model;

before(async () => {
  browser = await launch();
  server = await startServer();
  await server.buildSamples();
  model = await server.installModel();
  const file = path.join(server.folder, "one.jsonl");
  writeFileSync(file, `${JSON.stringify({ query_id: "nodes", question: "How many nodes does the search cluster have at most?", answers: ["24 nodes."], key_points: ["24 nodes"], gold: [{ doc: "company/capacity-runbook-en.md" }] })}\n`);
  await server.call("ImportDataset", { file, name: "one", kb: "", columns: null });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const languages = /** @type {const} */ (["zh", "en"]);
const texts = Object.fromEntries(languages.map((language) => [language, JSON.parse(readFileSync(new URL(`../../backend/i18n/locales/${language}.json`, import.meta.url), "utf8")).ui]));

/**
 * @param {{ language: "zh" | "en", scheme?: "light" | "dark", width?: number }} reader
 * @param {string} hash where the page is opened
 * @param {(opened: Awaited<ReturnType<typeof openPage>> & { t: (key: string, params?: Record<string, string | number>) => string }) => Promise<void>} body
 */
async function visit(reader, hash, body) {
  const opened = await openPage(browser, server.url, reader);
  try {
    await opened.page.evaluate((to) => { location.hash = to; }, hash);
    await body({
      ...opened,
      t: (key, params = {}) => String(key.split(".").reduce((at, part) => at[part], texts[reader.language])).replace(/\{(\w+)\}/gu, (_, name) => String(params[name])),
    });
    assert.equal(await opened.page.evaluate(() => document.body.innerText.match(/\bui\.[a-z]+\.[a-zA-Z.]+/g)), null, "a text is not translated");
    assert.equal(await opened.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "the page is wider than the window");
    opened.assertClean();
  } finally {
    await opened.close();
  }
}

const question = "How long are audit logs kept for a Business customer in 2025?";
const address = (/** @type {string} */ screen, /** @type {Record<string, string>} */ query) => `#/${screen}?${new URLSearchParams(query).toString()}`;

/** Chooses what answers. @param {import("playwright-core").Page} page @param {string} label @param {string} name */
async function choose(page, label, name) {
  await page.getByRole("combobox", { name: new RegExp(`^${label}`, "u") }).click();
  await page.getByRole("option", { name: new RegExp(name, "u") }).click();
}

for (const language of languages) {
  const scheme = language === "zh" ? "light" : "dark";

  describe(`answers of a model in ${language}`, () => {
    it("Compare writes column by column, goes on after a reload, and lays the answers side by side", () =>
      visit({ language, scheme }, address("compare", { kb: "sample", q: question, s: "vector,bm25", k: "2" }), async ({ page, t, assertAccessible }) => {
        await page.locator('[aria-busy="false"] article').first().waitFor();
        await page.getByRole("switch", { name: t("options.answer") }).click();
        await page.locator(".answer").first().waitFor(); // extracts, at once
        await choose(page, t("ask.model"), "smollm2");
        if (language === "en") { // a reply is kept, so that the second reader gets it at once
          await page.getByRole("button", { name: new RegExp(`^${t("options.more")}`, "u") }).click();
          await page.getByRole("switch", { name: t("options.fresh") }).click();
          await page.keyboard.press("Escape");
        }
        await page.locator(".caret").first().waitFor({ timeout: 300_000 });
        assert.ok((await page.locator("article.card").count()) > 0, "the passages are there before the answers");
        const before = await page.locator(".answer .words").first().innerText();
        await page.reload();
        await page.locator(".caret").first().waitFor({ timeout: 300_000 });
        assert.equal((await page.locator(".answer .words").first().innerText()).startsWith(before.slice(0, 8)), true, "another answer is written");
        await page.getByRole("button", { name: t("compare.run"), exact: true }).waitFor({ timeout: 300_000 });
        assert.equal(await page.locator(".answer").count(), 2);
        assert.equal(await page.locator(".answer .demo").count(), 2, "a small model is not marked");
        assert.ok((await page.locator(".answer .sentences li").count()) > 1);
        assert.equal(await page.locator(".answer .counts").count(), 1, "the second column says what changed");
        await assertAccessible();
        const sign = page.locator(".sentences .sign").first();
        assert.match(await sign.innerText(), /^[=~+−]$/u);
        await page.locator("button.support").first().click();
        await page.locator("article.card:focus").waitFor();
        assert.ok((await page.locator(".use").count()) > 0, "no passage is marked as used");
        await page.locator(".views").first().getByRole("radio", { name: t("answer.view.text") }).click();
        await page.locator(".answer .words").first().waitFor();
        await assertAccessible();
      }));

    if (language === "zh") it("Compare is stopped in the middle, and keeps what it has", () =>
      visit({ language, scheme }, address("compare", { kb: "sample", q: talkative, s: "vector,bm25", k: "2", m: model }), async ({ page, t }) => {
        await page.locator(".caret").first().waitFor({ timeout: 300_000 });
        await page.getByRole("button", { name: t("compare.stop"), exact: true }).click();
        await page.getByText(t("answer.stopped")).first().waitFor();
        assert.ok((await page.locator("article.card").count()) > 0);
        await page.getByRole("button", { name: t("compare.run"), exact: true }).waitFor();
      }));

    it("Ask goes on with the conversation, through a reload, and shows what was understood", () =>
      visit({ language, scheme }, address("ask", { kb: "sample" }), async ({ page, t, assertAccessible }) => {
        await page.getByRole("combobox", { name: new RegExp(`^${t("ask.model")}`, "u") }).waitFor();
        await choose(page, t("ask.model"), "smollm2");
        await page.getByRole("button", { name: new RegExp(`^${t("options.more")}`, "u") }).click();
        await page.getByLabel(t("options.topK"), { exact: true }).fill("2"); // a prompt that is soon read
        await page.keyboard.press("Enter");
        await page.keyboard.press("Escape");
        const box = page.getByRole("textbox", { name: t("compare.query") });
        await box.fill(`${question} (${language})`);
        await box.press("Enter");
        await page.locator('.turn[aria-busy="true"] .sources li').first().waitFor(); // before the answer
        await page.reload();
        await page.locator('.turn[aria-busy="false"]').waitFor({ timeout: 300_000 });
        await page.locator(".turn .demo").waitFor();
        await box.fill("And for an Enterprise customer?");
        await box.press("Enter");
        await page.locator('.turn[aria-busy="false"]').nth(1).waitFor({ timeout: 300_000 });
        const understood = page.locator(".turn").nth(1).locator(".rewrite");
        await understood.getByRole("button", { name: t("rewrite.made.condense") }).click();
        await page.getByText(t("rewrite.by", { model })).waitFor();
        await assertAccessible();
        await page.keyboard.press("Escape");
        await page.locator(".turn").nth(1).getByRole("button", { name: t("column.prompt") }).click();
        const prompt = await page.getByRole("dialog").locator("pre").innerText();
        assert.ok(prompt.length > 200);
        await assertAccessible();
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: t("ask.fresh") }).click();
        await page.getByText(t("ask.emptyTitle")).waitFor();
      }));

    it("Evaluate offers who judges, warns of a small judge, and an answer opens to its verdicts", () =>
      visit({ language, scheme }, address("evaluate", { dataset: "one" }), async ({ page, t, assertAccessible }) => {
        const chip = (/** @type {string} */ key) => page.getByRole("button", { name: t(key), exact: true });
        await chip("metric.faithfulness").waitFor();
        assert.equal(await page.getByRole("group", { name: t("eval.judge.by"), exact: true }).count(), 0, "nothing is answered yet");
        await chip("metric.faithfulness").click();
        await chip("detector.llm").click(); // beside evidence
        await choose(page, t("eval.judge.model"), "smollm2");
        await page.locator(".form .notice.warning").getByText(model).waitFor();
        await chip("metric.rubric_relevance").click();
        await assertAccessible();
        await chip("detector.llm").click();
        await chip("metric.rubric_relevance").click();
        await page.getByRole("button", { name: t("eval.start"), exact: true }).click();
        await page.getByRole("tab", { name: t("eval.tab.questions") }).waitFor({ timeout: 120_000 });
        await page.locator("button.cell").nth(4 * 5).click(); // faithfulness, behind five of retrieval under four strategies
        const opened = page.getByRole("dialog");
        await opened.locator("summary").first().click();
        await opened.locator(".claims li").first().waitFor();
        await assertAccessible();
      }));

    if (language === "en") it("Ask rewrites the question, and says how", () =>
      visit({ language, scheme, width: 900 }, address("ask", { kb: "sample" }), async ({ page, t, assertAccessible }) => {
        await page.getByRole("combobox", { name: new RegExp(`^${t("ask.model")}`, "u") }).waitFor();
        await choose(page, t("ask.model"), "smollm2");
        await page.getByRole("button", { name: new RegExp(`^${t("options.more")}`, "u") }).click();
        await choose(page, t("rewrite.title"), t("rewrite.multi-query"));
        await page.keyboard.press("Escape");
        const box = page.getByRole("textbox", { name: t("compare.query") });
        await box.fill(question);
        await box.press("Enter");
        await page.locator('.turn[aria-busy="false"]').waitFor({ timeout: 300_000 });
        await page.locator(".turn .rewrite li").first().waitFor();
        await assertAccessible();
      }));
  });
}
