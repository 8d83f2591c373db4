// What each screen does while the program is gone, the disk is full, or the engine
// dies: it says so with the next step, and goes on without a reload.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { startServer, talkative } from "./server.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const languages = /** @type {const} */ (["zh", "en"]);
const catalogues = Object.fromEntries(languages.map((language) => [language, JSON.parse(readFileSync(new URL(`../../backend/i18n/locales/${language}.json`, import.meta.url), "utf8"))]));
const asked = { en: "How long are audit logs kept for a Business customer in 2025?", zh: "机器扛不住的时候，系统怎样自动加机器，一次加几台？" };

/** The words of a text, by its key; a parameter may be anything, and so may a quotation mark, which ends a selector. @param {"zh" | "en"} language @param {string} key */
function words(language, key) {
  const text = String(key.split(".").reduce((at, part) => at[part], catalogues[language]));
  return new RegExp(text.replace(/[.*+?^$()|[\]\\]/gu, "\\$&").replace(/\{\w+\}/gu, ".+").replace(/['"]/gu, "."), "u");
}

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ page: Page, t: (key: string) => string, file: string, clean: (screen: string) => void }} Seen */
/**
 * A screen: its address, what shows that it has its data, and something done there
 * that asks the program and, where there is any such thing, writes.
 * @typedef {{ hash: string, there: string, ask: (seen: Seen) => Promise<unknown>, write?: (seen: Seen) => Promise<unknown>, written?: (seen: Seen) => Promise<unknown> }} Screen
 */

/** @param {Page} page @param {string} name */
const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();

/** @param {string} run a run with answers @param {string} question @returns {Record<string, Screen>} */
const screens = (run, question) => ({
  compare: {
    hash: `#/compare?kb=sample&q=${encodeURIComponent(question)}`, there: '[aria-busy="false"] article.card',
    ask: async ({ page, t }) => { await page.getByRole("search").getByRole("combobox").last().fill(question); await press(page, t("ui.compare.run")); },
    async write({ page }) {
      await page.locator('article[tabindex="0"]').focus();
      await page.keyboard.press("2");
    },
    written: ({ page, t }) => page.getByText(t("ui.label.done").split("{")[0]?.trim() ?? "").first().waitFor(),
  },
  library: {
    hash: "#/library?kb=sample", there: "[role=listitem]",
    ask: ({ page }) => page.getByRole("listitem").getByRole("button").first().click(),
    async write({ page, file }) {
      const transfer = await page.evaluateHandle((name) => {
        const data = new DataTransfer();
        data.items.add(new File([`# ${name}\n\nA text of its own.\n`.repeat(40)], `${name}.md`, { type: "text/markdown" }));
        return data;
      }, file);
      await page.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
    },
    written: ({ page, t }) => page.getByRole("region", { name: t("ui.job.title") }).getByText(t("ui.job.state.done")).first().waitFor(),
  },
  datasets: {
    hash: "#/datasets?dataset=sample", there: ".list [role=listitem]",
    ask: async ({ page, t }) => { await page.getByRole("combobox", { name: t("ui.datasets.checkIn") }).click(); await page.getByRole("option").first().click(); },
    async write({ page, t, file }) {
      const table = path.join(tmpdir(), `${file}.jsonl`);
      writeFileSync(table, '{"query_id":"a","question":"How long?","gold":[{"doc":"audit-log.md","quote":"180"}]}\n');
      if (!(await page.getByRole("dialog").isVisible())) {
        await press(page, t("ui.datasets.import"));
        await page.getByLabel(t("ui.datasets.path")).fill(table);
        await page.getByLabel(t("ui.datasets.name")).fill(file);
        await press(page, t("ui.datasets.check"));
      }
      await page.getByRole("dialog").getByRole("button", { name: t("ui.datasets.import"), exact: true }).click();
    },
    written: ({ page }) => page.getByRole("dialog").waitFor({ state: "detached" }),
  },
  evaluate: {
    hash: "#/evaluate?dataset=sample", there: ".estimate.num:not(:empty)",
    ask: ({ page, t }) => press(page, t("ui.eval.start")),
    write: ({ page, t }) => press(page, t("ui.eval.start")),
    written: ({ page }) => page.locator(".report").waitFor({ timeout: 180_000 }),
  },
  runs: {
    hash: "#/runs", there: ".list [role=listitem]",
    ask: ({ page }) => page.locator(".list .name").first().click(),
    async write({ page, t, file }) {
      if (!(await page.getByRole("dialog").isVisible())) await page.getByTitle(t("ui.runs.noteTitle")).first().click();
      await page.getByRole("textbox", { name: t("ui.runs.note") }).fill(file);
      await press(page, t("ui.runs.noteSave"));
    },
    written: ({ page }) => page.getByRole("dialog").waitFor({ state: "detached" }),
  },
  review: {
    hash: `#/review?run=${run}`, there: "article.claim mark",
    ask: ({ page, t }) => page.getByRole("button", { name: t("ui.review.state.supported") }).click(),
    write: ({ page, t }) => page.getByRole("button", { name: t("ui.review.state.supported") }).click(),
    written: ({ page, t }) => page.getByRole("button", { name: t("ui.review.undo") }).and(page.locator(":enabled")).waitFor(),
  },
  ask: {
    hash: "#/ask?kb=sample", there: "form.ask",
    async ask({ page }) {
      await page.locator("form.ask input").fill(question);
      await page.keyboard.press("Enter");
    },
  },
  models: {
    hash: "#/models", there: "article",
    ask: ({ page, t }) => press(page, t("ui.models.verifyAll")),
  },
  settings: {
    hash: "#/settings", there: ".checks li",
    ask: ({ page, t }) => press(page, t("ui.settings.checkAgain")),
    async write({ page, t, file }) {
      const area = page.getByRole("region", { name: t("ui.prompts.title") }).getByLabel(t("ui.prompts.wording"));
      await area.fill(`${await area.inputValue()}\n${file}`);
      await press(page, t("ui.prompts.save"));
    },
    written: ({ page, t }) => page.getByText(t("ui.prompts.saved")).first().waitFor(),
  },
});

/**
 * Opens the page, and fails when it is reloaded or complains of anything but what is not answered.
 * @param {string} url @param {"zh" | "en"} language @param {(seen: Seen) => Promise<void>} body
 */
async function visit(url, language, body) {
  const { page, close, takeComplaints } = await openPage(browser, url, { language, scheme: language === "zh" ? "light" : "dark" });
  try {
    await page.evaluate(() => { document.documentElement.dataset.same = "yes"; });
    const clean = (/** @type {string} */ screen) => {
      const others = takeComplaints().filter((complaint) => !/Failed to load resource: (net::ERR_CONNECTION|net::ERR_INCOMPLETE|net::ERR_EMPTY|the server responded with a status of (401|404|500|507))/u.test(complaint));
      assert.deepEqual(others, [], screen);
    };
    await body({ page, clean, file: `own-${language}`, t: (key) => String(key.split(".").reduce((at, part) => at[part], catalogues[language])) });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.same), "yes", "the page was reloaded");
    clean("at last");
  } finally {
    await close();
  }
}

/** Goes to a screen and waits until it is the one that is shown. @param {Page} page @param {string} hash */
async function go(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.locator(`nav a[aria-current="page"][href^="${hash.split("?")[0]}"]`).waitFor();
}

/** Waits for a text, and tells which screen lacks it. @param {import("playwright-core").Locator} what @param {string} screen @param {string} when */
async function said(what, screen, when) {
  await what.first().waitFor({ timeout: 60_000 }).catch(async () => {
    assert.fail(`${screen} ${when}: ${await what.page().locator("main").innerText()}`);
  });
}

describe("the program is gone", () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  let run = "";
  before(async () => {
    server = await startServer();
    await server.buildSamples();
    const { eval: report } = await server.evaluate({ kb: "sample", dataset: "sample", strategies: ["bm25", "vector"], metrics: ["nDCG@10", "faithfulness"] });
    run = report.runs[0].run_id;
  });
  after(() => server?.stop());

  for (const language of languages) {
    it(`each screen says so, and goes on when it is back: ${language}`, () =>
      visit(server.url, language, async (seen) => {
        const { page } = seen;
        for (const [name, screen] of Object.entries(screens(run, asked[language]))) {
          await go(page, screen.hash);
          await said(page.locator(screen.there), name, "does not open");
          await server.kill();
          await screen.ask(seen);
          const alert = page.getByRole("alert");
          await said(alert.filter({ hasText: words(language, "ui.error.unreachable") }), name, "does not say that nothing answers");
          // Opened anew while nothing answers, it is there, and says so too.
          await go(page, name === "settings" ? "#/models" : "#/settings");
          await go(page, screen.hash);
          await said(alert.filter({ hasText: words(language, "ui.error.unreachable") }), name, "does not say so when it is opened");
          await server.restart();
          await said(alert.filter({ hasText: words(language, "ui.error.key_invalid") }), name, "does not ask for the new address");
          const other = await page.context().newPage();
          await other.goto(server.url);
          await other.close();
          await alert.waitFor({ state: "detached", timeout: 10_000 }).catch(async () => assert.fail(`${name} still complains: ${await alert.first().innerText()}`));
          await said(page.locator(screen.there), name, "does not go on");
          seen.clean(name);
        }
      }));
  }

  it("work that was cut off is told, and what was kept", () =>
    visit(server.url, "en", async ({ page, t }) => {
      const folder = mkdtempSync(path.join(tmpdir(), "ragdesk-many-"));
      try {
        for (let i = 0; i < 400; i++) writeFileSync(path.join(folder, `rule-${i}.md`), `# Rule ${i}\n\nRule ${i} says how office supplies are handed out.\n`.repeat(12));
        await go(page, "#/library?kb=sample");
        await press(page, t("ui.compare.add"));
        await page.getByLabel(t("ui.add.library"), { exact: true }).fill("many");
        await page.getByLabel(t("ui.add.paths")).fill(folder);
        await press(page, t("ui.add.start"));
        const dock = page.getByRole("region", { name: t("ui.job.title") });
        await dock.getByRole("progressbar").first().waitFor();
        await server.kill();
        await server.restart();
        await page.getByRole("alert").first().waitFor();
        const other = await page.context().newPage();
        await other.goto(server.url);
        await other.close();
        await dock.getByText(words("en", "ui.error.job_lost")).waitFor();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }));
});

/** A disk of its own, as a small file system in memory; null where this machine allows none. @param {string} size */
function smallDisk(size) {
  const folder = mkdtempSync(path.join(tmpdir(), "ragdesk-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const filler = path.join(folder, "filler");
  return {
    /** Where the program keeps everything. */
    place: path.join(folder, "place"),
    fill() {
      const file = openSync(filler, "w");
      for (const block of [Buffer.alloc(1 << 20), Buffer.alloc(512)]) {
        try {
          for (;;) writeSync(file, block);
        } catch (error) {
          assert.equal(/** @type {NodeJS.ErrnoException} */ (error).code, "ENOSPC");
        }
      }
      closeSync(file);
    },
    free: () => { rmSync(filler, { force: true }); },
    remove() {
      execFileSync("umount", [folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const disk = smallDisk("400m");
describe("the disk is full", { skip: disk ? false : "this machine allows no disk of its own (mount -t tmpfs)" }, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  let run = "";
  before(async () => {
    server = await startServer(disk ? { folder: disk.place } : {});
    await server.buildSamples();
    const { eval: report } = await server.evaluate({ kb: "sample", dataset: "sample", strategies: ["bm25"], metrics: ["nDCG@10", "faithfulness"] });
    run = report.runs[0].run_id;
  });
  after(async () => {
    await server?.stop();
    disk?.remove();
  });

  for (const language of languages) {
    it(`each screen that writes says so, and goes on with space: ${language}`, () =>
      visit(server.url, language, async (seen) => {
        const { page } = seen;
        for (const [name, screen] of Object.entries(screens(run, asked[language]))) {
          await go(page, screen.hash);
          disk?.fill();
          await said(page.locator(screen.there), name, "cannot be read");
          if (screen.write) {
            await screen.write(seen);
            await said(page.getByText(words(language, "error.disk_full")), name, "does not say that the disk is full");
          } else {
            await screen.ask(seen); // reading and answering need no space
            if (name === "ask") await said(page.locator("article.turn .marker"), name, "does not answer");
          }
          disk?.free();
          if (screen.write) await screen.write(seen);
          await screen.written?.(seen);
          seen.clean(name);
        }
      }));
  }
});

describe("the engine dies", () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  let model = "";
  before(async () => {
    server = await startServer();
    await server.buildSamples();
    model = await server.installModel();
  });
  after(() => server?.stop());

  /** Ends the engine's process, and with it its runners. @param {number} parent */
  function killEngine(parent) {
    const mine = execFileSync("pgrep", ["-P", String(parent), "-f", "engine-serve"]).toString().trim().split("\n");
    assert.equal(mine.length, 1, "the engine runs once");
    mine.forEach((pid) => { process.kill(Number(pid), "SIGKILL"); });
  }

  for (const language of languages) {
    it(`Ask and Compare say so in the middle of an answer, and answer again: ${language}`, () =>
      visit(server.url, language, async ({ page, t }) => {
        // The same long answer each time, and none that was kept.
        rmSync(path.join(server.folder, "workspace", "replies"), { recursive: true, force: true });
        await go(page, "#/ask?kb=sample");
        await page.getByRole("combobox", { name: new RegExp(`^${t("ui.ask.model")}`, "u") }).click();
        await page.getByRole("option", { name: new RegExp(model, "u") }).click();
        await page.locator("form.ask input").fill(talkative);
        await page.keyboard.press("Enter");
        await page.locator('.turn[aria-busy="true"] .caret').waitFor({ timeout: 300_000 });
        killEngine(server.pid);
        const alert = page.getByRole("alert").filter({ hasText: words(language, "error.llm_stream_broken") });
        await said(alert, "ask", "does not say that the engine is gone");
        await page.locator(".turn").getByRole("button", { name: t("ui.common.retry") }).click();
        await page.locator('.turn[aria-busy="false"] .sources li').first().waitFor({ timeout: 300_000 });
        await alert.waitFor({ state: "detached" });

        await go(page, `#/compare?${new URLSearchParams({ kb: "sample", q: talkative, s: "vector,bm25", k: "2", m: model }).toString()}`);
        await page.locator(".caret").first().waitFor({ timeout: 300_000 });
        killEngine(server.pid);
        await said(alert, "compare", "does not say that the engine is gone");
        assert.ok((await page.locator("article.card").count()) > 0, "what was found is lost");
        await press(page, t("ui.common.retry"));
        await page.getByRole("button", { name: t("ui.compare.run"), exact: true }).waitFor({ timeout: 300_000 });
        await page.locator(".answer .words, .answer .sentences").first().waitFor({ timeout: 300_000 });
        await alert.waitFor({ state: "detached" });
      }));
  }
});
