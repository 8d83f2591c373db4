// What forms do with double clicks and with their addresses.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
  const file = path.join(server.folder, "one.jsonl");
  writeFileSync(file, `${JSON.stringify({ query_id: "nodes", question: "How many nodes does the search cluster have at most?", answers: ["24 nodes."], gold: [{ doc: "company/capacity-runbook-en.md" }] })}\n`);
  await server.call("ImportDataset", { file, name: "one", kb: "", columns: null });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const texts = JSON.parse(readFileSync(new URL("../../backend/i18n/locales/en.json", import.meta.url), "utf8")).ui;
const t = (/** @type {string} */ key) => String(key.split(".").reduce((at, part) => at[part], texts));
const question = "How long are audit logs kept for a Business customer in 2025?";

/**
 * Opens a screen where one operation takes its time, and counts how often it is asked for.
 * @param {string} hash @param {string} operation @param {number} delay
 * @param {(page: import("playwright-core").Page) => Promise<void>} body
 */
async function counted(hash, operation, delay, body) {
  const opened = await openPage(browser, server.url, { language: "en" });
  try {
    /** @type {string[]} */
    const sent = [];
    await opened.page.route(/\/api\/(Start|Cancel)/u, async (route) => {
      const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
      sent.push(name);
      if (name === operation) await sleep(delay);
      await route.continue().catch(() => undefined);
    });
    await opened.page.evaluate((to) => { location.hash = to; }, hash);
    await body(opened.page);
    assert.deepEqual(sent, [operation]);
    opened.assertClean();
  } finally {
    await opened.close();
  }
}

describe("a double click", () => {
  for (const delay of [0, 1500]) {
    it(`on Ask asks once, the reply after ${delay} ms`, () =>
      counted("#/ask?kb=sample", "StartAsk", delay, async (page) => {
        await page.getByRole("search").getByRole("textbox").fill(question);
        await page.getByRole("button", { name: t("ask.ask"), exact: true }).dblclick({ delay: 40 });
        await page.locator("article.turn .marker").first().waitFor();
        assert.equal(await page.locator("article.turn").count(), 1);
        assert.equal(await page.getByRole("search").getByRole("textbox").inputValue(), "");
      }));

    it(`on Compare compares once, the reply after ${delay} ms`, () =>
      counted("#/compare?kb=sample", "StartCompare", delay, async (page) => {
        await page.getByRole("combobox", { name: t("compare.query") }).fill(question);
        await page.getByRole("button", { name: t("compare.run"), exact: true }).dblclick({ delay: 40 });
        await page.locator('[aria-busy="false"] article').first().waitFor();
      }));

    it(`on Evaluate evaluates once, the reply after ${delay} ms`, async () => {
      const before = (await server.call("ListRuns", {})).runs.length;
      await counted("#/evaluate?dataset=one&kb=sample", "StartEval", delay, async (page) => {
        await page.getByRole("button", { name: t("eval.start"), exact: true }).dblclick({ delay: 40 });
        await page.locator(".report").waitFor({ timeout: 180_000 });
      });
      assert.equal((await server.call("ListRuns", {})).runs.length - before, 4);
    });
  }
});

describe("Evaluate and its address", () => {
  it("follow each other, and another dataset comes with its own library", async () => {
    await server.evaluate({ kb: "sample", dataset: "one", strategies: ["bm25"], metrics: ["nDCG@10"] });
    const { page, close, assertClean } = await openPage(browser, server.url, { language: "en" });
    try {
      const go = (/** @type {string} */ hash) => page.evaluate((to) => { location.hash = to; }, hash);
      const shows = (/** @type {string} */ dataset) => page.getByRole("combobox", { name: t("eval.dataset") }).filter({ hasText: dataset }).waitFor();
      await go("#/evaluate?dataset=one");
      await page.waitForURL(/#\/evaluate\?dataset=one&kb=sample$/u);
      await go("#/evaluate?dataset=sample&kb=sample");
      await shows("sample");
      await page.getByRole("combobox", { name: t("eval.dataset") }).click();
      await page.getByRole("option", { name: /^one/u }).click();
      await page.waitForURL(/#\/evaluate\?dataset=one&kb=sample$/u);
      await page.reload();
      await shows("one");
      await go("#/evaluate?dataset=nope");
      await page.getByText(String(t("unknown.dataset")).replace("{name}", "nope")).waitFor();
      assert.equal(await page.locator(".report").count(), 0);
      assertClean();
    } finally {
      await close();
    }
  });

  it("show a report under the dataset it is of alone, also after a reload", async () => {
    const { page, close, assertClean } = await openPage(browser, server.url, { language: "en" });
    try {
      await page.evaluate((to) => { location.hash = to; }, "#/evaluate?dataset=one&kb=sample");
      const choose = async (/** @type {RegExp} */ dataset) => {
        await page.getByRole("combobox", { name: t("eval.dataset") }).click();
        await page.getByRole("option", { name: dataset }).click();
      };
      await page.getByRole("button", { name: t("eval.start"), exact: true }).click();
      await page.locator(".report").waitFor({ timeout: 180_000 });
      for (const again of [false, true]) {
        if (again) await page.reload();
        await page.locator(".report").waitFor();
        await choose(/^sample/u);
        await page.locator(".report").waitFor({ state: "detached" });
        await choose(/^one/u);
        await page.locator(".report").waitFor();
      }
      assertClean();
    } finally {
      await close();
    }
  });
});

describe("Runs and its address", () => {
  it("show what the address names last, whatever reply comes last", async () => {
    const first = await server.evaluate({ kb: "sample", dataset: "one", strategies: ["bm25"], metrics: ["nDCG@10"] });
    const second = await server.evaluate({ kb: "sample", dataset: "one", strategies: ["bm25", "vector"], metrics: ["nDCG@10"] });
    const { page, close, assertClean } = await openPage(browser, server.url, { language: "en" });
    try {
      const ids = (/** @type {{ eval: { runs: { run_id: string }[] } }} */ job) => job.eval.runs.map((run) => run.run_id).join(",");
      await page.route("**/api/CompareRuns", async (route) => {
        const late = JSON.parse(route.request().postData() ?? "{}").runs.length === 1;
        if (late) await new Promise((resolve) => { setTimeout(resolve, 1500); });
        await route.continue();
      });
      const go = (/** @type {string} */ hash) => page.evaluate((to) => { location.hash = to; }, hash);
      const sent = page.waitForRequest("**/api/CompareRuns");
      await go(`#/runs?runs=${ids(first)}`);
      await sent;
      await go(`#/runs?runs=${ids(second)}`);
      await page.locator(".notes .note").nth(1).waitFor();
      await page.waitForTimeout(1800); // the other reply is here by then
      assert.equal(await page.locator(".notes .note").count(), 2, "the earlier, slower reply was shown");
      assert.ok(page.url().endsWith(ids(second)), page.url());
      assertClean();
    } finally {
      await close();
    }
  });
});

describe("Add documents", () => {
  const text = (/** @type {string} */ key, /** @type {Record<string, string>} */ params) => Object.entries(params).reduce((all, [name, value]) => all.replace(`{${name}}`, value), t(key));
  const file = (/** @type {string} */ name, /** @type {string} */ content) => ({ name, mimeType: "text/markdown", buffer: Buffer.from(content) });
  const uploads = (/** @type {string} */ kb) => {
    const dir = path.join(server.folder, "workspace", "uploads", kb);
    return existsSync(dir) ? Object.fromEntries(readdirSync(dir).sort().map((name) => [name, readFileSync(path.join(dir, name), "utf8")])) : {};
  };
  /** Opens the dialog and hands it files. @param {import("playwright-core").Page} page @param {string} kb @param {ReturnType<typeof file>[]} files */
  const choose = async (page, kb, files) => {
    await page.getByRole("button", { name: t("compare.add"), exact: true }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("add.library"), { exact: true }).fill(kb);
    await dialog.locator('input[type="file"]').setInputFiles(files);
    await dialog.getByRole("listitem").nth(files.length - 1).waitFor();
    return { dialog, add: dialog.getByRole("button", { name: t("add.start"), exact: true }) };
  };
  /** Waits until a library holds documents of these names. @param {string} kb @param {string[]} names */
  const holds = async (kb, names) => {
    let held = "";
    for (let i = 0; i < 300 && held !== names.join(); i++) {
      if (i > 0) await sleep(100);
      const there = (await server.call("ListKBs", {})).kbs.some((/** @type {{ kb: string }} */ one) => one.kb === kb);
      const list = there ? (await server.call("ListDocuments", { kb })).documents : [];
      held = list.map((/** @type {{ source: string }} */ one) => path.basename(one.source)).sort().join();
    }
    assert.equal(held, names.join());
  };

  it("sends nothing before it is told to, and forgets a choice that was cancelled", async () => {
    const { page, close, assertClean } = await openPage(browser, server.url, { language: "en" });
    try {
      await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
      const { dialog, add } = await choose(page, "pumps", [file("pump-manual.md", "# Pump\n\nThe first text.")]);
      assert.deepEqual(uploads("pumps"), {});
      await dialog.getByRole("button", { name: t("common.cancel"), exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      assert.deepEqual(uploads("pumps"), {});
      await page.getByRole("button", { name: t("compare.add"), exact: true }).first().click();
      assert.equal(await dialog.getByRole("listitem").count(), 0);
      assert.ok(await add.isDisabled(), "the cancelled choice is still there");
      assertClean();
    } finally {
      await close();
    }
  });

  it("keeps what it has under a name, or replaces it when told to", async () => {
    const { page, close, assertClean, assertAccessible } = await openPage(browser, server.url, { language: "en" });
    try {
      await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
      let { dialog, add } = await choose(page, "pumps", [file("pump-manual.md", "one"), file("notes.md", "first"), file("notes.md", "second")]);
      await dialog.getByText(t("add.twins")).waitFor();
      await add.click();
      await dialog.waitFor({ state: "detached" });
      await holds("pumps", ["notes (2).md", "notes.md", "pump-manual.md"]);

      ({ dialog, add } = await choose(page, "pumps", [file("pump-manual.md", "two")]));
      await add.click();
      await dialog.getByText(text("add.beside", { name: "pump-manual.md", free: "pump-manual (2).md" })).waitFor();
      await assertAccessible();
      await dialog.getByRole("button", { name: t("common.cancel"), exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      const kept = { "notes (2).md": "second", "notes.md": "first", "pump-manual.md": "one" };
      assert.deepEqual(uploads("pumps"), kept);

      ({ dialog, add } = await choose(page, "pumps", [file("pump-manual.md", "two")]));
      await add.click();
      await dialog.getByText(text("add.beside", { name: "pump-manual.md", free: "pump-manual (2).md" })).waitFor();
      await add.click();
      await dialog.waitFor({ state: "detached" });
      await holds("pumps", ["notes (2).md", "notes.md", "pump-manual (2).md", "pump-manual.md"]);
      assert.deepEqual(uploads("pumps"), { ...kept, "pump-manual (2).md": "two" });

      ({ dialog, add } = await choose(page, "pumps", [file("pump-manual.md", "three")]));
      await add.click();
      await dialog.getByRole("switch").click();
      await dialog.getByText(text("add.replaced", { name: "pump-manual.md" })).waitFor();
      await add.click();
      await dialog.waitFor({ state: "detached" });
      await holds("pumps", ["notes (2).md", "notes.md", "pump-manual (2).md", "pump-manual.md"]);
      assert.deepEqual(uploads("pumps"), { ...kept, "pump-manual (2).md": "two", "pump-manual.md": "three" });
      assertClean();
    } finally {
      await close();
    }
  });

  it("asks of a dropped file too", async () => {
    const dir = path.join(server.folder, "workspace", "uploads", "sample");
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, "drop.md"), "old");
    const { page, close, assertClean } = await openPage(browser, server.url, { language: "en" });
    try {
      await page.evaluate(() => { location.hash = "#/library?kb=sample"; });
      await page.getByRole("listitem").first().waitFor();
      const transfer = await page.evaluateHandle(() => {
        const data = new DataTransfer();
        data.items.add(new File(["new"], "drop.md", { type: "text/markdown" }));
        return data;
      });
      await page.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
      const dialog = page.getByRole("dialog");
      await dialog.getByText(text("add.beside", { name: "drop.md", free: "drop (2).md" })).waitFor();
      assert.deepEqual(uploads("sample"), { "drop.md": "old" });
      await dialog.getByRole("button", { name: t("add.start"), exact: true }).click();
      await page.getByRole("region", { name: t("job.title") }).getByText(t("job.state.done")).waitFor({ timeout: 90_000 });
      assert.deepEqual(uploads("sample"), { "drop (2).md": "new", "drop.md": "old" });
      assertClean();
    } finally {
      await close();
    }
  });

  it("tells in the dialog that a library cannot have a name", async () => {
    const { page, close, assertClean } = await openPage(browser, server.url, { language: "en" });
    try {
      await page.evaluate(() => { location.hash = "#/compare?kb=sample"; });
      await page.getByRole("button", { name: t("compare.add"), exact: true }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(t("add.library"), { exact: true }).fill("a/b");
      await dialog.locator('input[type="file"]').setInputFiles([file("x.md", "x")]);
      await dialog.getByRole("button", { name: t("add.start"), exact: true }).click();
      await dialog.getByRole("alert").getByText("a/b is no name for a library").waitFor();
      assert.deepEqual(uploads("a"), {});
      assertClean();
    } finally {
      await close();
    }
  });
});

describe("Settings", () => {
  it("keeps a wording that is not saved yet, through other screens and a reload", async () => {
    const { page, close, assertClean } = await openPage(browser, server.url, { language: "en" });
    try {
      const go = (/** @type {string} */ hash) => page.evaluate((to) => { location.hash = to; }, hash);
      const wording = page.getByLabel(t("prompts.wording"), { exact: true });
      await go("#/settings");
      const saved = await wording.inputValue();
      await wording.fill(`${saved}\nAnswer in one sentence.`);
      for (const leave of [async () => { await go("#/library"); await wording.waitFor({ state: "detached" }); await go("#/settings"); }, () => page.reload()]) {
        await leave();
        await page.getByText(t("prompts.draft")).waitFor();
        assert.equal(await wording.inputValue(), `${saved}\nAnswer in one sentence.`);
      }
      await page.getByRole("button", { name: t("prompts.discard"), exact: true }).click();
      await page.reload();
      await wording.waitFor();
      assert.equal(await wording.inputValue(), saved);
      assertClean();
    } finally {
      await close();
    }
  });
});
