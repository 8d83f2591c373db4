import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { startServer } from "./server.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

for (const language of /** @type {const} */ (["zh", "en"])) {
  const texts = JSON.parse(readFileSync(new URL(`../../backend/i18n/locales/${language}.json`, import.meta.url), "utf8")).ui;
  /** @param {string} key @param {Record<string, string | number>} params */
  const t = (key, params = {}) => String(key.split(".").reduce((at, part) => at[part], texts)).replace(/\{(\w+)\}/gu, (_, name) => String(params[name]));
  const scheme = language === "zh" ? "light" : "dark";

  describe(`backup and restore in ${language}`, () => {
    it("backs up, downloads, restores elsewhere, replaces with a confirmation, and goes back", async () => {
      const here = await startServer();
      const there = await startServer();
      try {
        await here.buildSamples();
        await here.evaluateSamples();
        const opened = await openPage(browser, here.url, { language, scheme });
        const { page } = opened;
        await page.evaluate(() => { location.hash = "#/settings"; });
        const panel = page.getByRole("region", { name: t("backup.title") });
        await panel.getByText(t("backup.none")).waitFor();
        await panel.getByRole("button", { name: t("backup.make") }).click();
        const row = panel.getByRole("listitem").first();
        await row.waitFor();
        const [download] = await Promise.all([page.waitForEvent("download"), row.getByRole("link", { name: t("backup.download") }).click()]);
        const file = path.join(here.folder, "sent.ragbundle");
        await download.saveAs(file);
        assert.equal(readFileSync(file).subarray(0, 2).toString(), "PK");
        await opened.assertAccessible();
        opened.assertClean();
        await opened.close();

        const other = await openPage(browser, there.url, { language, scheme });
        await other.page.evaluate(() => { location.hash = "#/settings"; });
        const panel2 = other.page.getByRole("region", { name: t("backup.title") });
        // A bundle on its way says how far it is, and is called back.
        const wire = await other.page.context().newCDPSession(other.page);
        const slow = (/** @type {number} */ bytes) => wire.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytes });
        await slow(400_000);
        await panel2.locator("input[type=file]").setInputFiles({ name: "large.ragbundle", mimeType: "application/zip", buffer: Buffer.alloc(8_000_000) });
        const way = panel2.getByRole("progressbar", { name: t("library.sendingTitle") });
        await way.waitFor();
        for (let i = 0; i < 100 && Number(await way.getAttribute("aria-valuenow")) === 0; i++) await other.page.waitForTimeout(100);
        assert.ok(Number(await way.getAttribute("aria-valuenow")) > 0, "nothing is on its way");
        await panel2.getByRole("button", { name: t("common.cancel"), exact: true }).click();
        await way.waitFor({ state: "detached" });
        assert.equal(await panel2.getByRole("alert").count(), 0, "calling it back is no error");
        await slow(-1);
        const uploads = path.join(there.folder, "workspace", "uploads", "bundles");
        for (let i = 0; i < 50 && existsSync(uploads) && readdirSync(uploads).length > 0; i++) await other.page.waitForTimeout(100);
        assert.deepEqual(existsSync(uploads) ? readdirSync(uploads) : [], [], "half a bundle is left");
        await panel2.locator("input[type=file]").setInputFiles(file);
        const dialog = other.page.getByRole("dialog");
        await dialog.getByText(t("backup.emptyHere")).waitFor();
        await dialog.getByText("sample", { exact: false }).first().waitFor();
        await other.assertAccessible();
        await dialog.getByRole("button", { name: t("backup.go"), exact: true }).click();
        await panel2.getByText(t("backup.restored", { kbs: "classic, sample" })).waitFor();
        const runs = await there.call("ListRuns", {});
        assert.equal(runs.runs.length, 4);

        // Now there is something: it is named before it is replaced, and can be brought back.
        await there.call("RemoveKB", { kb: "classic" });
        await panel2.locator("input[type=file]").setInputFiles(file);
        await dialog.getByText(t("backup.replaceAbout")).waitFor();
        await dialog.getByText("sample", { exact: true }).waitFor();
        await dialog.getByRole("button", { name: t("backup.go"), exact: true }).click();
        await panel2.getByText(t("backup.restored", { kbs: "classic, sample" })).waitFor();
        assert.deepEqual((await there.call("ListKBs", {})).kbs.map((/** @type {{ kb: string }} */ kb) => kb.kb), ["classic", "sample"]);
        await panel2.getByRole("button", { name: t("backup.undo") }).click();
        await panel2.getByText(t("backup.restored", { kbs: "sample" }), { exact: false }).waitFor();
        assert.deepEqual((await there.call("ListKBs", {})).kbs.map((/** @type {{ kb: string }} */ kb) => kb.kb), ["sample"]);

        // Beside it, and no file at all.
        await panel2.getByRole("listitem").first().getByRole("button", { name: t("backup.restore") }).click();
        await dialog.getByRole("radio", { name: t("backup.add") }).click();
        await dialog.getByText(t("backup.addAbout")).waitFor();
        await dialog.getByRole("button", { name: t("backup.go"), exact: true }).click();
        await panel2.getByText(/sample-2/u).waitFor();
        await panel2.getByLabel(t("backup.path")).fill("/nowhere/x.ragbundle");
        await panel2.getByRole("button", { name: t("backup.look") }).click();
        await panel2.getByText("/nowhere/x.ragbundle", { exact: false }).waitFor();
        other.takeComplaints(); // the browser notes the answer that is an error
        await panel2.getByRole("listitem").first().getByRole("button", { name: t("backup.remove") }).click();
        await other.page.getByRole("alertdialog").getByRole("button", { name: t("backup.remove") }).click();
        other.assertClean();
        await other.close();
      } finally {
        await here.stop();
        await there.stop();
      }
    });
  });
}
