import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../build/bin/ragdesk-headless", import.meta.url));

/**
 * Starts `ragdesk serve` on an empty workspace of its own.
 * Its url carries the key; its folder is scratch space, removed by stop.
 */
export async function startServer() {
  const folder = mkdtempSync(path.join(tmpdir(), "ragdesk-e2e-"));
  const child = spawn(process.env.RAGDESK_BINARY ?? built, ["serve", "--json", "--workspace", path.join(folder, "workspace")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    let out = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`serve ended with ${code}: ${out}`)));
    child.stdout.on("data", (/** @type {Buffer} */ data) => {
      out += data.toString();
      try {
        resolve(JSON.parse(out).url);
      } catch {
        // Half of the document; the rest follows.
      }
    });
  });
  const { origin, searchParams } = new URL(url);
  /** @param {string} operation @param {object} request */
  const call = async (operation, request) => {
    const answer = await fetch(`${origin}/api/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${searchParams.get("token")}`, "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  return {
    url,
    folder,
    /** Builds the sample libraries, which takes no time when they are there. */
    async buildSamples() {
      let job = await call("StartDemo", {});
      while (job.state === "running") {
        await new Promise((resolve) => setTimeout(resolve, 100));
        job = await call("GetJob", { id: job.id });
      }
      if (job.state !== "done") throw new Error(JSON.stringify(job));
    },
    call,
    /** Evaluates the sample questions and returns the ids of the runs. @returns {Promise<string[]>} */
    async evaluateSamples() {
      let job = await call("StartEval", {
        config: "", kb: "sample", dataset: "sample", strategies: ["vector", "bm25", "hybrid", "hybrid+rerank"], metrics: ["nDCG@10", "Recall@5", "Hit@3", "MRR@10", "Precision@3"],
        retrieval: { top_k: null, candidates: null, fusion: null, reranker: null, rerank_depth: null, thresholds: {}, options: null },
        gain: "", relevance: "", unit: "", baseline: "", primary: "", seed: 0, out: "",
      });
      while (job.state === "running") {
        await new Promise((resolve) => setTimeout(resolve, 100));
        job = await call("GetJob", { id: job.id });
      }
      if (job.state !== "done") throw new Error(JSON.stringify(job));
      return job.eval.runs.map((/** @type {{ run_id: string }} */ run) => run.run_id);
    },
    async stop() {
      child.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
