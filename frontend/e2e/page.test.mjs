import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
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
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/**
 * Opens the page for one test and checks at its end that the browser had no complaint.
 * @param {Parameters<typeof openPage>[2]} reader
 * @param {(opened: Awaited<ReturnType<typeof openPage>>) => Promise<void>} body
 */
async function visit(reader, body) {
  const opened = await openPage(browser, server.url, reader);
  try {
    await body(opened);
    opened.assertClean();
  } finally {
    await opened.close();
  }
}

/** @param {import("playwright-core").Page} page @param {string} question */
async function ask(page, question) {
  const box = page.getByRole("search").getByRole("combobox").last();
  await box.fill(question);
  await box.press("Enter");
  await page.locator('[aria-busy="false"] article').first().waitFor();
}

/** @param {import("playwright-core").Page} page */
const columns = (page) => page.locator("section.column");

const chinese = "机器扛不住的时候，系统怎样自动加机器，一次加几台？";
const english = "How long are audit logs kept for a Business customer in 2025?";

describe("a workspace without libraries", () => {
  it("leads from a file of one's own to what reranking did with it: a drop, a question, a look", () =>
    visit({ language: "en" }, async ({ page, assertAccessible }) => {
      const began = Date.now();
      await page.getByRole("heading", { level: 1 }).waitFor();
      const plans = ["Team", "Business", "Enterprise"].map((plan, i) => `## ${plan}\n\nThe plan ${plan} keeps audit logs for ${90 * 2 ** i} days, and search logs for ${30 * (i + 1)} days. `.padEnd(900, `Backups of ${plan} are kept for 35 days. `));
      const transfer = await page.evaluateHandle((text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], "retention.md", { type: "text/markdown" }));
        return data;
      }, `# Retention\n\n${plans.join("\n\n")}`);
      await page.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
      await page.getByRole("combobox", { name: /^Library: My documents/u }).waitFor({ timeout: 90_000 });
      await ask(page, "How long are audit logs kept under Business?");
      const rerank = columns(page).last();
      const { kbs } = await server.call("ListKBs", {});
      const few = page.getByRole("status").filter({ hasText: `“My documents” (${kbs.find((/** @type {{ kb: string }} */ one) => one.kb === "My documents")?.chunks})` });
      await few.waitFor();
      await few.getByRole("button", { name: "Re-index" }).click();
      await page.getByRole("dialog").getByRole("heading", { name: /My documents/u }).waitFor();
      await page.keyboard.press("Escape");
      await page.goBack();
      await rerank.locator("article").first().waitFor();
      assert.match(await rerank.locator("article").first().innerText(), /Business keeps audit logs for 180 days/u);
      await rerank.locator("article").first().focus();
      await page.keyboard.press("Enter"); // what each stage gave it
      await rerank.locator("article dl").first().waitFor();
      await assertAccessible();
      console.log(`from the start to what reranking did: one drop, one question, one key, ${Math.round((Date.now() - began) / 1000)} s`);
      await server.call("RemoveKB", { kb: "My documents" });
    }));

  it("teaches, and builds the samples", () =>
    visit({ language: "zh" }, async ({ page, assertAccessible }) => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await assertAccessible();
      await page.getByRole("button", { name: "建立示例知识库" }).click();
      await page.getByRole("search").waitFor();
      assert.match(await page.getByRole("combobox", { name: /^知识库/ }).innerText(), /classic|sample/);
    }));
});

describe("comparing", () => {
  before(() => server.buildSamples());

  it("shows a column for each strategy, with movement against the first", () =>
    visit({ language: "zh" }, async ({ page, assertAccessible }) => {
      await page.getByRole("button", { name: chinese }).click();
      await page.locator("article").first().waitFor();
      assert.equal(await columns(page).count(), 4);
      for (const [i, name] of ["向量", "BM25", "混合", "混合 + 重排"].entries()) {
        const column = columns(page).nth(i);
        assert.equal((await column.getByRole("heading", { level: 3 }).innerText()).trim(), name);
        assert.equal(await column.locator("article").count(), 5);
        assert.equal((await column.locator(".move").count()) > 0, i > 0);
      }
      assert.ok((await page.locator("article mark").count()) > 0, "no matched term is marked");
      await assertAccessible();
    }));

  it("lights up one chunk in every column", () =>
    visit({ language: "zh" }, async ({ page }) => {
      await ask(page, "ChromaDB 的 distance 变小意味着什么？");
      await page.locator("article").first().hover();
      const lit = page.locator("article.active");
      assert.ok((await lit.count()) > 1);
      const sources = new Set(await lit.locator(".source").allInnerTexts());
      assert.equal(sources.size, 1);
    }));

  it("is driven by the keyboard", () =>
    visit({ language: "en" }, async ({ page }) => {
      await page.getByRole("search").waitFor();
      await page.locator("body").press("Escape");
      await page.getByRole("link", { name: "Compare" }).focus();
      await page.keyboard.press("/");
      await page.keyboard.type(english);
      await page.keyboard.press("Enter");
      await page.locator("article").first().waitFor();
      await page.locator('article[tabindex="0"]').focus();
      const place = () => page.evaluate(() => document.activeElement?.getAttribute("data-place"));
      for (const [key, want] of [["ArrowDown", "0/1"], ["ArrowRight", "1/1"], ["ArrowUp", "1/0"], ["ArrowLeft", "0/0"]]) {
        await page.keyboard.press(key ?? "");
        assert.equal(await place(), want);
      }
      await page.keyboard.press("Enter");
      await page.locator("article dl").first().waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("datasets");
      await page.keyboard.press("Enter");
      await page.waitForURL(/#\/datasets/u);
    }));

  it("cites: a marker leads to the card", () =>
    visit({ language: "en", scheme: "dark" }, async ({ page, assertAccessible }) => {
      await ask(page, english);
      await page.getByRole("switch", { name: "Answers" }).click();
      const marker = columns(page).last().locator(".marker").first();
      const rank = await marker.innerText();
      await marker.click();
      const card = columns(page).last().locator("article:focus");
      await card.waitFor();
      assert.equal(await card.locator(".rank").innerText(), rank);
      await assertAccessible();
    }));

  it("shows and copies the whole prompt", () =>
    visit({ language: "en" }, async ({ page, assertAccessible }) => {
      await ask(page, english);
      await page.getByRole("button", { name: "Show the prompt" }).last().click();
      const dialog = page.getByRole("dialog");
      const prompt = await dialog.locator("pre").innerText();
      assert.ok(prompt.includes(english));
      await assertAccessible();
      await dialog.getByRole("button", { name: "Copy" }).click();
      await page.getByText("Copied", { exact: true }).waitFor();
      assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), prompt.trim());
    }));

  it("exports what it shows", () =>
    visit({ language: "en" }, async ({ page }) => {
      await ask(page, english);
      await page.getByRole("button", { name: "Export", exact: true }).click();
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "JSON data" }).click();
      const stream = await (await saved).createReadStream();
      const text = (await stream.toArray()).join("");
      assert.equal(JSON.parse(text).query, english);
    }));

  it("keeps its address, and comes back by it", () =>
    visit({ language: "en" }, async ({ page }) => {
      await ask(page, english);
      await page.reload();
      await page.locator("article").first().waitFor();
      assert.equal(await page.getByRole("search").getByRole("combobox").last().inputValue(), english);
    }));

  it("says what is wrong, and recovers without a reload", () =>
    visit({ language: "en" }, async ({ page, takeComplaints }) => {
      await ask(page, english);
      await page.route("**/api/StartCompare", (route) => route.abort());
      await page.getByRole("button", { name: "Compare", exact: true }).click();
      await page.getByRole("alert").getByText("ragdesk does not answer").waitFor();
      await page.unroute("**/api/StartCompare");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("alert").waitFor({ state: "detached" });
      assert.ok(takeComplaints().every((complaint) => complaint.includes("net::ERR_FAILED")));
    }));
});

describe("documents of one's own", () => {
  before(() => server.buildSamples());

  it("are added by path, followed through a reload, and found with exact marks", () =>
    visit({ language: "zh" }, async ({ page, assertAccessible }) => {
      const folder = path.join(server.folder, "文档");
      const deep = path.join(folder, "二〇二五年度各分店外卖价目与打包费用说明", "全国");
      mkdirSync(deep, { recursive: true });
      writeFileSync(path.join(deep, "店.md"), "# 𠮷野家\n\n😀 𠮷野家的牛丼定价三百九十元，外带另收打包费。\n");
      for (let i = 0; i < 150; i++) {
        writeFileSync(path.join(folder, `制度-${i}.md`), `# 制度 ${i}\n\n第 ${i} 号制度规定办公用品的领用办法。`.repeat(12));
      }
      writeFileSync(path.join(folder, "坏.exe"), Buffer.from([0x4d, 0x5a, 0, 1, 2, 3]));
      await page.getByRole("search").waitFor();
      await page.getByRole("button", { name: "添加文档" }).click();
      await page.getByLabel("知识库", { exact: true }).fill("我的文档");
      await page.getByLabel("文件和文件夹").fill(`"${folder}"`);
      await assertAccessible();
      await page.getByRole("button", { name: "添加", exact: true }).click();
      const job = page.getByRole("region", { name: "进行中的任务" });
      await job.getByText("添加文档").waitFor();
      await page.reload();
      await job.getByText("完成").waitFor({ timeout: 120_000 });
      await job.getByRole("button", { name: "查看文件" }).click();
      await job.getByRole("cell", { name: /店\.md$/ }).waitFor({ state: "attached" });
      await assertAccessible();
      await page.getByRole("combobox", { name: /^知识库/ }).click();
      await page.getByRole("option", { name: "我的文档" }).click();
      await ask(page, "𠮷野家的牛丼多少钱");
      const card = columns(page).nth(1).locator("article").first();
      const marks = await card.locator("mark").allInnerTexts();
      assert.ok(marks.some((mark) => mark.includes("野家")), `marked: ${marks.join(", ")}`);
      assert.ok(marks.every((mark) => !mark.includes("😀") && !mark.includes("�")), `marked: ${marks.join(", ")}`);
      const named = () => page.locator("article .path").evaluateAll((paths) => paths.map((path) => {
        const [file, folder, whole] = [path.querySelector(".file"), path.querySelector(".folder"), path.getBoundingClientRect()];
        const box = file?.getBoundingClientRect();
        return { name: file?.textContent, inside: box !== undefined && box.left >= whole.left - 1 && box.right <= whole.right + 1, cut: folder !== null && folder.scrollWidth > folder.clientWidth, title: path.getAttribute("title") };
      }));
      const shop = (await named()).find((one) => one.name === "店.md");
      assert.ok(shop?.inside && shop.cut, `the folder is not what is cut: ${JSON.stringify(shop)}`);
      assert.ok(shop.title?.includes(path.join(deep, "店.md")));
      await page.getByRole("button", { name: "演示" }).click();
      const large = await named();
      assert.ok(large.length > 0 && large.every((one) => one.inside), `a name is cut in a presentation: ${JSON.stringify(large)}`);
    }));
});

describe("the reader's choices", () => {
  before(() => server.buildSamples());

  it("language and theme change at once and are remembered", () =>
    visit({ language: "en" }, async ({ page, assertAccessible }) => {
      await ask(page, english);
      await page.getByRole("button", { name: /中文界面/ }).click();
      await page.getByRole("button", { name: "对比", exact: true }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-CN");
      await page.getByRole("button", { name: /外观/ }).click();
      await page.getByRole("button", { name: /浅色/ }).click();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
      await assertAccessible();
      await page.reload();
      await page.getByRole("button", { name: /深色/ }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    }));

  for (const language of /** @type {const} */ (["zh", "en"])) {
    for (const [width, height] of [[1280, 800], [900, 600]]) {
      it(`nothing is clipped or untranslated: ${language} at ${width}×${height}`, () =>
        visit({ language, width: width ?? 0, height: height ?? 0 }, async ({ page }) => {
          await ask(page, language === "zh" ? chinese : english);
          const found = await page.evaluate(() => {
            const wide = document.documentElement.scrollWidth > innerWidth;
            const cut = [...document.querySelectorAll("h3 .value, .bar .button, .ask .button, .chip, .move, .score")]
              .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflow === "hidden")
              .map((element) => element.textContent);
            return { wide, cut, keys: document.body.innerText.match(/\bui\.[a-z]+\.[a-zA-Z.]+/g) };
          });
          assert.deepEqual(found, { wide: false, cut: [], keys: null });
        }));
    }
  }
});
