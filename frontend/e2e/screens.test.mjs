import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
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

const languages = /** @type {const} */ (["zh", "en"]);
const texts = Object.fromEntries(languages.map((language) => [language, JSON.parse(readFileSync(new URL(`../../backend/i18n/locales/${language}.json`, import.meta.url), "utf8")).ui]));
const question = { zh: "机器扛不住的时候，系统怎样自动加机器，一次加几台？", en: "How long are audit logs kept for a Business customer in 2025?" };

/** A text of the page. @param {"zh" | "en"} language @param {string} key @param {Record<string, string | number>} params */
function say(language, key, params = {}) {
  const text = key.split(".").reduce((at, part) => at[part], texts[language]);
  return String(text).replace(/\{(\w+)\}/gu, (_, name) => String(params[name]));
}

/**
 * @param {Parameters<typeof openPage>[2]} reader
 * @param {string} hash where the page is opened
 * @param {(opened: Awaited<ReturnType<typeof openPage>> & { t: (key: string, params?: Record<string, string | number>) => string }) => Promise<void>} body
 */
async function visit(reader, hash, body) {
  const opened = await openPage(browser, server.url, reader);
  const language = reader?.language ?? "zh";
  try {
    await opened.page.evaluate((to) => { location.hash = to; }, hash);
    await body({ ...opened, t: (key, params) => say(language, key, params) });
    const left = await opened.page.evaluate(() => document.body.innerText.match(/\b(ui|report|problem)\.[a-z]+\.[a-zA-Z.]+/g));
    assert.equal(left, null, "a text is not translated");
    assert.equal(await opened.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "the page is wider than the window");
    opened.assertClean();
  } finally {
    await opened.close();
  }
}

for (const language of languages) {
  const scheme = language === "zh" ? "light" : "dark";

  describe(`the screens in ${language}`, () => {
    it("Library takes a dropped file, shows its chunks and another cut, and labels what is selected", () =>
      visit({ language, scheme }, "#/library?kb=sample", async ({ page, t, assertAccessible }) => {
        await page.getByRole("listitem").first().waitFor();
        await assertAccessible();
        const name = `牛丼-${language}.md`;
        const transfer = await page.evaluateHandle(([file, text]) => {
          const data = new DataTransfer();
          data.items.add(new File([text], file, { type: "text/markdown" }));
          return data;
        }, /** @type {const} */ ([name, `# 价目\n\n${"𠮷野家的牛丼三百九十元，另收打包费。".repeat(60)}`]));
        await page.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
        await page.getByRole("region", { name: t("job.title") }).getByText(t("job.state.done")).waitFor({ timeout: 90_000 });
        await page.getByRole("searchbox").fill("牛丼");
        await page.getByRole("button", { name }).click();
        await page.locator(".piece").first().waitFor();
        const size = page.getByRole("slider", { name: t("doc.size") });
        await size.press("Home");
        await page.getByText(new RegExp(t("doc.change", { now: "\\d+", then: "\\d+" }), "u")).waitFor();
        await page.getByRole("button", { name: t("doc.asStored") }).click();
        await page.evaluate(() => {
          const walk = document.createTreeWalker(document.querySelector("[data-start]") ?? document.body, NodeFilter.SHOW_TEXT);
          let text = walk.nextNode();
          while (text && (text.nodeValue?.length ?? 0) < 30) text = walk.nextNode();
          if (!text) throw new Error("no text");
          getSelection()?.setBaseAndExtent(text, 6, text, 17);
        });
        await page.locator("blockquote").waitFor();
        const passage = await page.locator("blockquote").innerText();
        await page.getByLabel(t("eval.dataset"), { exact: true }).fill(`own-${language}`);
        await page.getByLabel(t("compare.query"), { exact: true }).fill("牛丼多少钱？");
        await page.getByRole("button", { name: t("label.name.2") }).click();
        await page.getByText(t("label.done", { dataset: `own-${language}`, n: 1 })).waitFor();
        await assertAccessible();
        const list = await server.call("ListQuestions", { name: `own-${language}`, kb: "sample" });
        // What is removed can be brought back for a while, and then is gone.
        await page.getByRole("button", { name: t("doc.back"), exact: true }).click();
        await page.getByRole("searchbox").fill("牛丼");
        const held = async () => (await server.call("ListDocuments", { kb: "sample" })).documents.some((/** @type {{ source: string }} */ one) => one.source.endsWith(name));
        for (const back of [true, false]) {
          await page.getByRole("listitem").filter({ hasText: name }).getByRole("checkbox").check();
          await page.getByRole("button", { name: t("library.removeN", { n: 1 }) }).click();
          await page.getByRole("button", { name }).waitFor({ state: "detached" });
          assert.ok(await held(), "it goes before it can be brought back");
          if (!back) break;
          await page.getByRole("button", { name: t("common.undo") }).click();
          await page.getByRole("button", { name }).waitFor();
        }
        // A page that is left has taken nothing back.
        await page.reload();
        for (let i = 0; i < 25 && (await held()); i++) await page.waitForTimeout(200);
        assert.ok(!(await held()), "it stays");
        assert.equal(list.questions[0].gold[0].quote, passage);
        assert.deepEqual(list.problems, []);
      }));

    it("Library takes files that are chosen", () =>
      visit({ language, scheme }, "#/library?kb=sample", async ({ page, t, assertAccessible }) => {
        const names = ["潮.md", "tide.txt"];
        for (const name of names) writeFileSync(path.join(server.folder, name), `潮水涨落 the tide, ${language} ${name}`);
        await page.getByRole("button", { name: t("compare.add") }).first().click();
        await page.getByLabel(t("add.library"), { exact: true }).fill(`chosen-${language}`);
        await page.locator("input[type=file]").setInputFiles(names.map((name) => path.join(server.folder, name)));
        const chosen = page.getByRole("list", { name: t("add.chosen") });
        for (const name of names) await chosen.getByText(name, { exact: true }).waitFor();
        assert.equal(existsSync(path.join(server.folder, "workspace", "uploads", `chosen-${language}`)), false, "a choice is sent before it is added");
        await assertAccessible();
        await page.getByRole("button", { name: t("add.start"), exact: true }).click();
        for (const name of names) await page.getByRole("listitem").filter({ hasText: name }).getByText(t("status.indexed"), { exact: true }).waitFor({ timeout: 90_000 });
      }));

    it("Library keeps what was not read, with the reason, until it is read or removed", () =>
      visit({ language, scheme }, "#/library?kb=sample", async ({ page, t, assertAccessible }) => {
        const folder = path.join(server.folder, `未读-${language}`);
        mkdirSync(folder);
        for (const [name, bytes] of Object.entries({ "好.md": "潮水涨落。", "坏.txt": Buffer.concat(Array(99).fill(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 1, 2, 255]))), "图.xyz": "no picture" })) writeFileSync(path.join(folder, name), bytes);
        const kb = `unread-${language}`;
        await page.getByRole("button", { name: t("compare.add") }).first().click();
        await page.getByLabel(t("add.library"), { exact: true }).fill(kb);
        await page.getByLabel(t("add.paths")).fill(`"${folder}"`);
        await page.getByRole("button", { name: t("add.start"), exact: true }).click();
        const job = page.getByRole("region", { name: t("job.title") });
        // The end says that it is not the whole truth.
        await job.getByText(t("job.state.partial", { n: 2 })).waitFor({ timeout: 90_000 });
        assert.equal(await job.getByText(t("job.state.done"), { exact: true }).count(), 0, "it is done without a word");
        await job.getByRole("button", { name: t("common.dismiss") }).click();
        const rows = page.getByRole("listitem");
        const bad = rows.filter({ hasText: "坏.txt" });
        await bad.getByText(t("status.failed"), { exact: true }).waitFor();
        await rows.filter({ hasText: "图.xyz" }).getByText(t("status.unsupported"), { exact: true }).waitFor();
        assert.match(await bad.locator(".notes").innerText(), language === "zh" ? /[\u4e00-\u9fff]{4}/u : /[a-z]{3} /u);
        assert.ok((await bad.locator(".notes").getAttribute("title"))?.includes(path.join(folder, "坏.txt")));
        const tile = page.getByRole("region", { name: t("health.title") }).locator(".tile", { hasText: t("health.failed") });
        assert.equal(await tile.locator("dd").first().innerText(), "2");
        await assertAccessible();
        // After a reload it is all there; shown alone, and tried again in vain, then with success.
        await page.reload();
        await bad.waitFor();
        await page.getByRole("combobox", { name: t("eval.show") }).click();
        await page.getByRole("option", { name: t("library.unread", { n: 2 }) }).click();
        await rows.filter({ hasText: "好.md" }).waitFor({ state: "detached" });
        const again = bad.getByRole("button", { name: t("library.retry", { source: path.join(folder, "坏.txt") }) });
        await again.click();
        await job.getByText(t("job.state.partial", { n: 1 })).waitFor({ timeout: 30_000 });
        await job.getByRole("button", { name: t("common.dismiss") }).click();
        writeFileSync(path.join(folder, "坏.txt"), "退潮之后。");
        await again.click();
        await job.getByText(t("job.state.done"), { exact: true }).waitFor({ timeout: 30_000 });
        await bad.waitFor({ state: "detached" });
        await rows.filter({ hasText: "图.xyz" }).getByRole("button", { name: t("library.removeOne", { source: path.join(folder, "图.xyz") }) }).click();
        await rows.filter({ hasText: "图.xyz" }).waitFor({ state: "detached" });
        const unread = async () => (await server.call("ListDocuments", { kb, status: ["failed", "unsupported"] })).documents.length;
        for (let i = 0; i < 100 && (await unread()) > 0; i++) await page.waitForTimeout(200);
        assert.equal(await unread(), 0);
      }));

    it("Datasets lists problems by line, imports, filters and plots", () =>
      visit({ language, scheme }, "#/datasets?dataset=sample", async ({ page, t, assertAccessible }) => {
        await page.locator(".list [role=listitem]").first().waitFor();
        assert.ok((await page.locator(".list [role=listitem]").count()) < 60, "all rows are drawn");
        const file = path.join(server.folder, `wrong-${language}.jsonl`);
        writeFileSync(file, '{"query_id":"a","question":"潮水"}\n{"query_id":"b"\n');
        await page.getByRole("button", { name: t("datasets.import"), exact: true }).click();
        await page.getByLabel(t("datasets.path")).fill(file);
        await page.getByRole("button", { name: t("datasets.check") }).click();
        await page.getByRole("dialog").getByText(t("datasets.line", { line: 2 })).waitFor();
        await assertAccessible();
        // Columns of other names are guessed, shown with their first rows, and changed.
        const table = path.join(server.folder, `other-${language}.csv`);
        writeFileSync(table, "编号,提问,备注,出处,原文\n1,审计日志保留多久？,x,audit-log.md,180\n");
        await page.getByLabel(t("datasets.path")).fill(table);
        await page.getByLabel(t("datasets.name")).fill(`mapped-${language}`);
        await page.getByRole("button", { name: t("datasets.check") }).click();
        await page.getByText(t("datasets.looked", { questions: 1, problems: 0 })).waitFor();
        assert.equal(await page.getByRole("columnheader").count(), 5);
        await page.getByRole("combobox", { name: t("datasets.columnAs", { column: "备注" }) }).click();
        await page.getByRole("option", { name: t("datasets.field.type") }).click();
        await assertAccessible();
        await page.getByRole("dialog").getByRole("button", { name: t("datasets.import"), exact: true }).click();
        await page.getByRole("dialog").waitFor({ state: "detached" });
        const [first] = (await server.call("ListQuestions", { name: `mapped-${language}`, kb: "" })).questions;
        assert.deepEqual([first.query_id, first.question, first.type, first.gold[0].doc, first.gold[0].quote], ["1", "审计日志保留多久？", "x", "audit-log.md", "180"]);
        await page.getByRole("tab", { name: t("datasets.plots") }).click();
        await page.locator(".chart svg").first().waitFor();
        await assertAccessible();
      }));

    it("Datasets shows a label that went stale, and mends it", () =>
      visit({ language, scheme }, "#/settings", async ({ page, t, assertAccessible }) => {
        const kb = `stale-${language}`;
        const file = path.join(server.folder, `${kb}.md`);
        const ingest = async (/** @type {string} */ text) => {
          writeFileSync(file, text);
          await server.finished(await server.call("StartIngest", { kb, paths: [file], chunker: "", chunk_size: null, chunk_overlap: null, embedder: "", sync: false, encoding: "", tags: [], ocr: false, limits: {} }));
        };
        await ingest("# 价目\n\n牛丼三百九十元。\n");
        await server.call("LabelPassage", { dataset: kb, query_id: "", question: "牛丼多少钱？", type: "factual", kb, doc: `${kb}.md`, span: { start: 6, end: 14 }, grade: 2, replace: null });
        await server.evaluate({ kb, dataset: kb, strategies: ["bm25"], metrics: ["Hit@3"] }); // binds the label to the text as it was
        await ingest("# 价目\n\n牛丼现在卖四百二十元一碗。\n");
        await page.evaluate((name) => { location.hash = `#/datasets?dataset=${name}`; }, kb);
        await page.reload(); // the library was made behind the page's back
        await page.getByText(t("datasets.stale", { n: 1 })).waitFor();
        await page.getByRole("button", { name: t("datasets.staleShow") }).click();
        await page.locator(".problems button.line").first().click();
        await page.getByText(t("datasets.labelState.stale")).waitFor();
        await assertAccessible();
        await page.getByRole("button", { name: t("datasets.relabel") }).click();
        await page.getByText(t("label.replaces", { n: 1 })).waitFor();
        await page.evaluate(() => {
          const walk = document.createTreeWalker(document.querySelector("[data-start]") ?? document.body, NodeFilter.SHOW_TEXT);
          let text = walk.nextNode();
          while (text && !text.nodeValue?.includes("四百")) text = walk.nextNode();
          if (text) getSelection()?.setBaseAndExtent(text, 0, text, 4);
        });
        await page.locator("blockquote").waitFor();
        await page.getByRole("button", { name: t("label.name.2") }).click();
        await page.getByText(t("label.done", { dataset: kb, n: 1 })).waitFor();
        const { gold } = (await server.call("ListQuestions", { name: kb, kb })).questions[0];
        assert.deepEqual(gold.map((/** @type {{ state: string }} */ one) => one.state), ["bound"]);
      }));

    it("Evaluate says what it takes, runs with one click, and opens its numbers and failures", () =>
      visit({ language, scheme }, "#/evaluate?dataset=sample", async ({ page, t, assertAccessible }) => {
        await page.getByRole("button", { name: t("eval.more"), exact: true }).click();
        await page.getByRole("spinbutton", { name: t("options.candidates") }).fill("9");
        await page.keyboard.press("Escape");
        await page.locator(".estimate").filter({ hasText: "560" }).waitFor({ timeout: 60_000 });
        await page.getByRole("button", { name: t("eval.start"), exact: true }).click();
        await page.locator(".live tbody tr.primary td").first().waitFor({ timeout: 60_000 }); // means while it goes on
        await page.locator(".report").waitFor({ timeout: 180_000 });
        assert.equal(await page.locator(".cards article").count(), 3);
        await page.locator(".chart svg").first().waitFor();
        await assertAccessible();
        await page.locator("button.cell").first().click();
        await page.getByRole("dialog").locator("[role=listitem]").first().waitFor();
        await assertAccessible();
        await page.keyboard.press("Escape");
        await page.getByRole("tab", { name: t("eval.tab.failures") }).click();
        await page.locator(".failures li").first().getByRole("button", { name: t("eval.openCompare") }).click();
        await page.waitForURL(/#\/compare/u);
        await page.locator('[aria-busy="false"] article').first().waitFor();
        assert.equal(await page.locator(".of-run").count(), 4, "the columns are not the run's pipelines");
        await page.locator(".of-run").filter({ hasText: "1" }).first().click();
        assert.match(await page.locator(".of-run-panel table").innerText(), /50 → 9$/u);
        await assertAccessible();
        await page.keyboard.press("Escape");
        await page.goBack();
        await page.locator(".report").waitFor();
      }));

    it("Runs compares what was kept and exports it", () =>
      visit({ language, scheme }, "#/runs", async ({ page, t, assertAccessible }) => {
        if ((await server.call("ListRuns", {})).runs.length < 2) {
          await server.evaluateSamples();
          await page.reload();
        }
        await page.getByRole("listitem").first().waitFor();
        await page.getByRole("checkbox").nth(0).click();
        await page.getByRole("checkbox").nth(1).click();
        await assertAccessible();
        await page.getByRole("button", { name: t("runs.compare", { n: 2 }) }).click();
        await page.locator(".report").waitFor();
        const saved = page.waitForEvent("download");
        await page.getByRole("button", { name: t("runs.export"), exact: true }).click();
        const html = (await (await (await saved).createReadStream()).toArray()).join("");
        assert.match(html, /<html/u);
        // A note is kept with its run, and shown in list, comparison and export.
        const note = `换了重排器 ${language} <b>`;
        await page.locator(".notes").getByRole("button").first().click();
        await page.getByRole("textbox", { name: t("runs.note") }).fill(note);
        await assertAccessible();
        await page.getByRole("button", { name: t("runs.noteSave") }).click();
        await page.locator(".notes p").filter({ hasText: note }).waitFor();
        const again = page.waitForEvent("download");
        await page.getByRole("button", { name: t("runs.export"), exact: true }).click();
        const noted = (await (await (await again).createReadStream()).toArray()).join("");
        assert.ok(noted.includes(`换了重排器 ${language} &lt;b&gt;`), "the exported report lacks the note");
        await page.getByRole("tab", { name: t("eval.tab.questions") }).click();
        await page.locator(".list button.row").first().waitFor();
        const [head, row] = await Promise.all([".list .row.head", ".list button.row"].map((one) => page.locator(one).first().evaluate((element) => getComputedStyle(element).gridTemplateColumns)));
        assert.equal(row, head, "rows stand below other columns than their head");
        await page.evaluate(() => { location.hash = "#/runs"; });
        await page.locator(".list .note").filter({ hasText: note }).waitFor();
      }));

    it("Review labels claims blind by keys, takes one back, and compares with the judge", () =>
      visit({ language, scheme }, "#/settings", async ({ page, t, assertAccessible }) => {
        const { eval: report } = await server.evaluate({ kb: "sample", dataset: "sample", strategies: ["bm25"], metrics: ["nDCG@10", "faithfulness"] });
        await page.evaluate((run) => { location.hash = `#/review?run=${run}`; }, report.runs[0].run_id);
        await page.getByLabel(t("review.by"), { exact: true }).fill(`reader-${language}`);
        await page.locator("article.claim mark").first().waitFor();
        await assertAccessible();
        assert.equal(await page.getByText(/evidence/u).count(), 0, "the judge is not hidden");
        await page.getByRole("tab", { name: t("review.tab.label") }).click(); // out of the field
        const claim = page.locator("article.claim .one");
        const first = await claim.innerText();
        await page.keyboard.press("2");
        await claim.filter({ hasNotText: first }).or(page.getByText(t("review.doneTitle"))).first().waitFor();
        await page.keyboard.press("u");
        await claim.filter({ hasText: first }).waitFor();
        for (let i = 0; i < 60; i++) {
          await claim.or(page.getByText(t("review.doneTitle"))).first().waitFor();
          if ((await claim.count()) === 0) break;
          const count = page.locator(".queue .count");
          const before = await count.innerText();
          await page.keyboard.press(i === 0 ? "2" : "1");
          await count.filter({ hasNotText: before }).waitFor();
        }
        await page.getByText(t("review.doneTitle")).waitFor();
        await page.getByRole("button", { name: t("review.toAgreement") }).click();
        await page.locator(".hero .kappa").waitFor();
        assert.match(await page.getByRole("table").first().innerText(), new RegExp(t("metric.faithfulness"), "u"));
        await assertAccessible();
        await page.getByRole("tab", { name: t("review.tab.differ") }).click();
        await page.locator("article.claim").waitFor(); // the first one was called contradicted
        await assertAccessible();
        assert.ok((await server.call("Labels", {})).people.some((/** @type {{ by: string, labels: number }} */ one) => one.by === `reader-${language}` && one.labels > 0));
      }));

    it("Ask answers, and a citation lights its words and leads to the source", () =>
      visit({ language, scheme }, `#/ask?kb=sample&q=${encodeURIComponent(question[language])}`, async ({ page, t, assertAccessible }) => {
        await page.locator("article.turn .marker").first().click();
        await page.locator("li.lit mark").first().waitFor();
        await assertAccessible();
        await page.locator("li.lit").getByRole("button", { name: t("ask.open") }).click();
        await page.locator(".piece mark").first().waitFor();
        const other = language === "zh" ? question.en : question.zh;
        await page.evaluate(() => { location.hash = "#/ask"; });
        await page.locator("article.turn").first().waitFor();
        await page.evaluate((q) => { location.hash = `#/ask?kb=sample&q=${encodeURIComponent(q)}`; }, other);
        await page.locator("article.turn").filter({ hasText: other }).locator(".marker").first().waitFor();
      }));

    it("an address that names what is not there says so, and offers what there is", () =>
      visit({ language, scheme }, "#/library?kb=nosuch", async ({ page, t, takeComplaints, assertAccessible }) => {
        const alert = page.getByRole("alert");
        const to = (/** @type {string} */ hash) => page.evaluate((there) => { location.hash = there; }, hash);
        await alert.filter({ hasText: t("unknown.kb", { name: "nosuch" }) }).waitFor();
        await assertAccessible();
        await alert.getByRole("button", { name: "sample", exact: true }).click();
        await page.getByRole("listitem").first().waitFor();
        await to("#/library?kb=sample&doc=nosuch");
        await alert.filter({ hasText: "nosuch" }).waitFor();
        await page.getByRole("button", { name: t("doc.back") }).click();
        await page.getByRole("listitem").first().waitFor();
        await to("#/datasets?dataset=nosuch");
        await alert.filter({ hasText: t("unknown.dataset", { name: "nosuch" }) }).waitFor();
        await alert.getByRole("button", { name: "sample", exact: true }).click();
        await page.locator(".list [role=listitem]").first().waitFor();
        await to("#/evaluate?dataset=nosuch&kb=gone");
        await alert.filter({ hasText: t("unknown.dataset", { name: "nosuch" }) }).filter({ hasText: t("unknown.kb", { name: "gone" }) }).waitFor();
        assert.ok(await page.getByRole("button", { name: t("eval.start"), exact: true }).isDisabled());
        for (const hash of ["#/runs/nosuch", "#/runs?runs=nosuch"]) {
          await to(hash);
          await alert.filter({ hasText: t("unknown.run", { name: "nosuch" }) }).waitFor();
        }
        await to("#/nosuch");
        await alert.filter({ hasText: t("unknown.address", { name: "/nosuch" }) }).waitFor();
        await alert.getByRole("button", { name: t("nav.compare") }).click();
        // A question for a library that is not there is not asked of another.
        for (const screen of ["compare", "ask"]) {
          await to(`#/${screen}?${new URLSearchParams({ kb: "nosuch", q: "潮水几点涨？" }).toString()}`);
          await alert.filter({ hasText: t("unknown.kb", { name: "nosuch" }) }).waitFor();
          assert.equal(await page.locator("article").count(), 0);
          await page.getByRole("search").locator("input").last().press("Enter");
          await page.locator("article").first().waitFor();
          await alert.waitFor({ state: "detached" });
        }
        await to(`#/compare?${new URLSearchParams({ kb: "sample", q: question[language], s: "vector,nosuch" }).toString()}`);
        await page.getByText(/nosuch/u).first().waitFor();
        assert.ok(takeComplaints().every((complaint) => complaint.includes("404")), "the missing document is the one complaint");
      }));

    it("Models and Settings are drawn", () =>
      visit({ language, scheme }, "#/models", async ({ page, assertAccessible }) => {
        await page.locator("article").first().waitFor();
        await assertAccessible();
        await page.evaluate(() => { location.hash = "#/settings"; });
        await page.locator(".checks li").first().waitFor();
        await assertAccessible();
      }));

    it("Settings edits a prompt, refuses one that lacks a part, and takes it back", () =>
      visit({ language, scheme }, "#/settings", async ({ page, t, takeComplaints, assertAccessible }) => {
        const panel = page.getByRole("region", { name: t("prompts.title") });
        const area = panel.getByLabel(t("prompts.wording"));
        await area.waitFor();
        const before = await area.inputValue();
        await area.fill("no place for a question");
        await panel.getByRole("button", { name: t("prompts.save"), exact: true }).click();
        await panel.getByRole("alert").waitFor();
        assert.ok(takeComplaints().every((complaint) => complaint.includes("400") || complaint.includes("422")), "the refusal is the one complaint");
        await area.fill(`${before} ${language}`);
        await panel.getByRole("button", { name: t("prompts.save"), exact: true }).click();
        await page.getByText(t("prompts.saved")).waitFor();
        await assertAccessible();
        await panel.getByRole("button", { name: t("prompts.reset") }).click();
        await page.getByRole("alertdialog").getByRole("button", { name: t("prompts.reset") }).click();
        await page.getByText(t("prompts.wasReset")).waitFor();
        assert.equal(await area.inputValue(), before);
      }));

    it("Library keeps words whole, and tunes its search", () =>
      visit({ language, scheme }, "#/library?kb=classic", async ({ page, t, assertAccessible }) => {
        await page.getByRole("button", { name: t("words.open"), exact: true }).click();
        const dialog = page.getByRole("dialog");
        const word = `超级检索机${language}`;
        await dialog.getByLabel(t("words.add"), { exact: true }).fill(`${word} 2000`);
        await dialog.getByRole("button", { name: t("words.save") }).click();
        await dialog.getByRole("button", { name: t("words.remove", { word }) }).waitFor({ timeout: 60_000 });
        await assertAccessible();
        await dialog.getByRole("button", { name: t("words.remove", { word }) }).click();
        await dialog.getByRole("button", { name: t("words.remove", { word }) }).waitFor({ state: "detached", timeout: 60_000 });
        await page.keyboard.press("Escape");
        await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
        await page.getByRole("listitem").first().waitFor();
        await page.getByRole("button", { name: t("tune.open"), exact: true }).click();
        await dialog.getByRole("button", { name: t("tune.start"), exact: true }).click();
        await dialog.getByRole("progressbar").waitFor();
        await page.reload(); // the work goes on, and the dialog finds it again
        await page.getByRole("button", { name: t("tune.open"), exact: true }).click();
        await dialog.locator("tr.won").waitFor({ timeout: 300_000 });
        await assertAccessible();
      }));

    it("Compare labels by a key, drops by a threshold, exports and presents", () =>
      visit({ language, scheme }, `#/compare?kb=sample&q=${encodeURIComponent(question[language])}`, async ({ page, t }) => {
        await page.locator('[aria-busy="false"] article').first().waitFor();
        assert.ok((await page.locator("svg.lines path").count()) > 3, "no lines between the columns");
        await page.locator('article[tabindex="0"]').focus();
        await page.keyboard.press("2");
        await page.getByText(new RegExp(t("label.done", { dataset: "labels", n: "\\d+" }).replace(/[()]/gu, "\\$&"), "u")).waitFor();
        for (const [format, first] of [["html", "<!doctype html>"], ["png", "\u{89}PNG"], ["json", "{"]]) {
          await page.getByRole("button", { name: t("options.export"), exact: true }).click();
          const saved = page.waitForEvent("download");
          await page.getByRole("button", { name: t(`export.${format}`) }).click();
          const bytes = Buffer.concat(await (await (await saved).createReadStream()).toArray());
          assert.equal(bytes.toString("latin1").slice(0, first?.length), first);
          assert.ok(bytes.length > 2000, `${format}: ${bytes.length} bytes`);
          await page.keyboard.press("Escape");
        }
        await page.getByRole("button", { name: t("options.more"), exact: true }).click();
        await page.getByLabel(`${t("stage.bm25.name")} ≥`).fill("99");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Escape");
        const strips = page.locator("section.column .strip");
        await strips.nth(1).getByText(/^≥ 99 · −\d+$/u).waitFor(); // beyond the end of the line
        assert.equal(await strips.nth(0).locator(".words").innerText(), t("threshold.pull"));
        assert.match(await strips.nth(2).innerText(), new RegExp(`^${t("threshold.pull")}\\s+${t("stage.bm25.name")} ≥ 99 · −\\d+$`, "u"));
        await page.getByRole("button", { name: t("options.moreChanged", { n: 1 }) }).click();
        await page.getByRole("button", { name: t("options.reset") }).click();
        await page.keyboard.press("Escape");
        await page.locator('[aria-busy="false"] section.column:nth-child(2) article').first().waitFor();
        const line = page.getByRole("slider").last();
        await line.focus();
        for (let i = 0; i < 4; i++) await page.keyboard.press("PageUp");
        await page.locator(".strip").last().getByText(/^≥ [0-9.]+ · −[1-9]/u).waitFor();
        await page.locator(".dropped").last().waitFor();
        await page.getByRole("button", { name: t("options.present"), exact: true }).click();
        await page.locator("nav.rail").waitFor({ state: "hidden" });
        assert.equal(await page.locator(".board").evaluate((board) => board.scrollWidth > board.clientWidth + 1), false, "a column is out of sight");
        await page.keyboard.press("Escape");
        await page.locator("nav.rail").waitFor();
      }));
  });
}

describe("a large workspace", () => {
  /** Milliseconds until a hash's list is drawn, and the longest block while typing into its search box. @param {import("playwright-core").Page} page @param {string} hash */
  async function timed(page, hash) {
    await page.evaluate(() => { location.hash = "#/settings"; });
    await page.locator(".checks li").first().waitFor();
    const start = Date.now();
    await page.evaluate((to) => { location.hash = to; }, hash);
    await page.locator(".list .row").nth(1).waitFor();
    const drawn = Date.now() - start;
    const typing = Date.now();
    await page.getByRole("searchbox").pressSequentially("制度 1");
    return { drawn, typed: Date.now() - typing, rows: await page.locator("[role=listitem]").count() };
  }

  it("draws only what is in view of 10,000 documents and 5,000 questions", () =>
    visit({ language: "zh" }, "#/settings", async ({ page }) => {
      const documents = await server.call("ListDocuments", { kb: "sample" });
      const questions = await server.call("ListQuestions", { name: "sample", kb: "" });
      const many = (/** @type {object[]} */ list, /** @type {number} */ n, /** @type {(i: number) => object} */ edit) => Array.from({ length: n }, (_, i) => ({ ...list[i % list.length], ...edit(i) }));
      const small = [await timed(page, "#/library?kb=sample"), await timed(page, "#/datasets?dataset=sample")];
      await page.route("**/api/ListDocuments", (route) => route.fulfill({ json: { ...documents, documents: many(documents.documents, 10_000, (i) => ({ source: `文档/制度 ${i}.md` })) } }));
      await page.route("**/api/ListQuestions", (route) => route.fulfill({ json: { ...questions, questions: many(questions.questions, 5000, (i) => ({ query_id: `q${i}`, question: `制度 ${i} 怎样规定？` })) } }));
      await page.reload();
      await page.locator(".list .row").nth(1).waitFor(); // the first route has settled
      const large = [await timed(page, "#/library?kb=sample"), await timed(page, "#/datasets?dataset=sample")];
      large.forEach((one, i) => {
        const before = small[i] ?? one;
        console.log(`${i === 0 ? "10,000 documents" : "5,000 questions"}: first rows ${(one.drawn / before.drawn).toFixed(2)}×, typing ${(one.typed / before.typed).toFixed(2)}× of the sample library; ${one.rows} rows drawn`);
        assert.ok(one.rows < 80, `${one.rows} rows are drawn`);
      });
    }));

  it("the first page weighs at most 350 kB gzipped, without the plots", async () => {
    const opened = await openPage(browser, server.url, { language: "zh" });
    await opened.page.getByRole("search").waitFor();
    const files = await opened.page.evaluate(() => {
      const urls = [location.pathname, ...performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => name.includes("/assets/"))];
      return Promise.all([...new Set(urls)].map(async (url) => /** @type {const} */ ([url, await (await fetch(url)).text()])));
    });
    const loaded = files.map(([url, text]) => /** @type {const} */ ([url, gzipSync(text).length]));
    const total = loaded.reduce((sum, [, size]) => sum + size, 0);
    console.log(`first page: ${Math.round(total / 1000)} kB gzipped in ${loaded.length} files`);
    assert.ok(total > 50_000 && total <= 350_000, `${total} bytes`);
    assert.ok(!loaded.some(([url]) => url.includes("charts")), "the plots are part of the first page");
    await opened.close();
  });
});
