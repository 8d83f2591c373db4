import { describe, expect, it } from "vitest";
import { createMemoryHistory, createRouter, type Router } from "vue-router";
import { ownAddress } from "./useOwnAddress";

const blank = { template: "" };

/** A screen that is there when it is let through, or fails. */
function held(): { fetch: Promise<typeof blank>; end: (error?: Error) => void } {
  let end: (error?: Error) => void = () => undefined;
  const fetch = new Promise<typeof blank>((resolve, reject) => { end = (error) => { if (error) reject(error); else resolve(blank); }; });
  return { fetch, end };
}

/** A router at /library, with two screens to go to. */
async function atLibrary(): Promise<{ router: Router; arrive: (screen: "datasets" | "runs", error?: Error) => void }> {
  const waiting = { datasets: held(), runs: held() };
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: "/library", component: blank },
      { path: "/datasets", component: () => waiting.datasets.fetch },
      { path: "/runs", component: () => waiting.runs.fetch },
    ],
  });
  await router.push("/library?kb=old");
  return { router, arrive: (screen, error) => { waiting[screen].end(error); } };
}

describe("the own address", () => {
  it("takes what the screen shows", async () => {
    const { router } = await atLibrary();
    await ownAddress(router).show({ kb: "new" });
    expect(router.currentRoute.value.fullPath).toBe("/library?kb=new");
  });

  it("is left alone once the reader has gone elsewhere", async () => {
    const { router, arrive } = await atLibrary();
    const own = ownAddress(router);
    arrive("datasets");
    await router.push("/datasets?dataset=a");
    await own.show({ kb: "new" });
    expect(router.currentRoute.value.fullPath).toBe("/datasets?dataset=a");
  });

  it("does not take back a reader whose next screen is still being fetched", async () => {
    const { router, arrive } = await atLibrary();
    const own = ownAddress(router);
    const going = router.push("/datasets?dataset=a");
    await own.show({ kb: "new" });
    arrive("datasets");
    await going;
    expect(router.currentRoute.value.fullPath).toBe("/datasets?dataset=a");
  });

  it("knows who is still going when he changes his mind on the way", async () => {
    const { router, arrive } = await atLibrary();
    const own = ownAddress(router);
    const first = router.push("/datasets");
    const second = router.push("/runs");
    arrive("datasets");
    await first;
    await own.show({ kb: "new" });
    arrive("runs");
    await second;
    expect(router.currentRoute.value.fullPath).toBe("/runs");
  });

  it("works again when the next screen could not be fetched", async () => {
    const { router, arrive } = await atLibrary();
    const own = ownAddress(router);
    const going = router.push("/datasets").catch(() => undefined);
    arrive("datasets", new Error("the program is gone"));
    await going;
    await own.show({ kb: "new" });
    expect(router.currentRoute.value.fullPath).toBe("/library?kb=new");
    own.stop();
  });
});
