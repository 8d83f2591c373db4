import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { startServer } from "./server.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  browser = await launch();
  server = await startServer();
  await server.buildSamples();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const questions = { zh: "机器扛不住的时候，系统怎样自动加机器，一次加几台？", en: "How long are audit logs kept for a Business customer in 2025?" };

for (const language of /** @type {const} */ (["zh", "en"])) {
  const texts = JSON.parse(readFileSync(new URL(`../../backend/i18n/locales/${language}.json`, import.meta.url), "utf8")).ui;
  /** @param {string} key @param {Record<string, string | number>} params */
  const t = (key, params = {}) => String(key.split(".").reduce((at, part) => at[part], texts)).replace(/\{(\w+)\}/gu, (_, name) => String(params[name]));

  describe(`ratings in ${language}`, () => {
    it("keeps thumbs through a reload, and makes a question of a bad answer", async () => {
      const opened = await openPage(browser, server.url, { language, scheme: language === "zh" ? "light" : "dark" });
      const { page } = opened;
      try {
        await page.evaluate((to) => { location.hash = to; }, `#/ask?kb=sample&q=${encodeURIComponent(questions[language])}`);
        const bar = page.getByRole("group", { name: t("rating.group") });
        await bar.getByRole("button", { name: t("rating.up") }).click();
        await bar.getByRole("button", { name: t("rating.up"), pressed: true }).waitFor();
        await bar.getByRole("button", { name: t("rating.down") }).click();
        await bar.getByLabel(t("rating.reason")).fill("no number");
        await bar.getByRole("button", { name: t("rating.save") }).click();
        await page.reload();
        await bar.getByRole("button", { name: t("rating.down"), pressed: true }).waitFor();
        assert.equal(await bar.getByLabel(t("rating.reason")).inputValue(), "no number");

        await bar.getByRole("button", { name: t("rating.add") }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel(t("eval.dataset")).fill(`rated-${language}`);
        await dialog.getByRole("checkbox").first().click();
        await opened.assertAccessible();
        await dialog.getByRole("button", { name: t("rating.put") }).click();
        await bar.getByText(t("rating.added", { dataset: `rated-${language}` })).waitFor();
        const made = await server.call("ListQuestions", { name: `rated-${language}`, kb: "sample" });
        assert.equal(made.questions[0].question, questions[language]);
        assert.equal(made.questions[0].gold[0].state, "bound");

        await page.getByRole("button", { name: t("rating.open") }).click();
        await page.getByRole("list", { name: t("rating.title") }).getByText("no number").first().waitFor();
        const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: t("rating.export") }).click()]);
        assert.equal(download.suggestedFilename(), "ratings.jsonl");
        await opened.assertAccessible();
        await page.keyboard.press("Escape");

        // The same press again takes it back.
        await bar.getByRole("button", { name: t("rating.down") }).click();
        await bar.getByRole("button", { name: t("rating.down"), pressed: false }).waitFor();
        assert.equal((await server.call("ListRatings", { verdict: "", kb: "" })).ratings.filter((/** @type {{ question: string }} */ one) => one.question === questions[language]).length, 0);
        opened.assertClean();
      } finally {
        await opened.close();
      }
    });
  });
}
