import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const built = path.join(root, "build/bin/ragdesk-headless");

/**
 * Starts the program on the workspace of a folder.
 * @param {string} folder
 * @param {number} port 0 for any
 * @param {string} host of language models, empty for none but the program's own
 */
async function launch(folder, port, host) {
  mkdirSync(folder, { recursive: true });
  const child = spawn(process.env.RAGDESK_BINARY ?? built, ["serve", "--json", "--port", String(port), "--workspace", path.join(folder, "workspace")], {
    stdio: ["ignore", "pipe", "inherit"],
    // Models of the user's own, and an Ollama of theirs, are none of a test's business.
    env: { ...process.env, XDG_DATA_HOME: path.join(folder, "data"), OLLAMA_HOST: "127.0.0.1:1", RAGDESK_LLM_HOST: host },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  /** @type {string} */
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
  return { child, ended, url };
}

/** A question that the small model of the tests answers at length, so that it is met in the middle. */
export const talkative = "Write out everything that the passages say about audit logs, customers and backups, sentence by sentence.";

/**
 * Starts `ragdesk serve` on an empty workspace of its own.
 * Its url carries the key; its folder is scratch space, removed by stop.
 * @param {{ folder?: string, host?: string }} options host is where language models answer
 */
export async function startServer({ folder = mkdtempSync(path.join(tmpdir(), "ragdesk-e2e-")), host = "" } = {}) {
  let running = await launch(folder, 0, host);
  /** @param {string} operation @param {object} request */
  const call = async (operation, request) => {
    const { origin, searchParams } = new URL(running.url);
    const answer = await fetch(`${origin}/api/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${searchParams.get("token")}`, "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  /** Waits for a job. @param {any} job @returns {Promise<any>} */
  const finished = async (job) => {
    let now = job;
    while (now.state === "running") {
      await new Promise((resolve) => setTimeout(resolve, 100));
      now = await call("GetJob", { id: job.id });
    }
    if (now.state !== "done") throw new Error(JSON.stringify(now));
    return /** @type {any} */ (now);
  };
  /** Evaluates what a request names. @param {object} request */
  const evaluate = async (request) =>
    finished(await call("StartEval", {
      config: "", retrieval: { top_k: null, candidates: null, fusion: null, reranker: null, rerank_depth: null, thresholds: {}, options: null },
      gain: "", relevance: "", unit: "", baseline: "", primary: "", seed: 0, out: "", ...request,
    }));
  return {
    get url() { return running.url; },
    get pid() { return running.child.pid ?? 0; },
    folder,
    /** Ends the program as a crash would. */
    async kill() {
      running.child.kill("SIGKILL");
      await running.ended;
    },
    /** Starts it anew where it was, with a new key. */
    async restart() {
      running = await launch(folder, Number(new URL(running.url).port), host);
    },
    finished,
    /** Installs the small chat model that the tests use, and returns its name. @returns {Promise<string>} */
    async installModel() {
      const cached = [path.join(root, "build/cache"), process.env.RAGDESK_ASSET_CACHE ?? ""].filter(Boolean).map((cache) => path.join(cache, "assets"));
      const file = cached.filter((dir) => existsSync(dir)).flatMap((dir) => readdirSync(dir).filter((name) => name.endsWith("smollm2-135m-instruct-q4_1.gguf")).map((name) => path.join(dir, name)))[0];
      if (!file) throw new Error("make assets OPTIONAL=1 fetches the chat model of the tests");
      const { model } = await finished(await call("StartImportModel", { path: file, name: "" }));
      return model.name;
    },
    /** Builds the sample libraries, which takes no time when they are there. */
    async buildSamples() {
      await finished(await call("StartDemo", {}));
    },
    call,
    evaluate,
    /** Evaluates the sample questions and returns the ids of the runs. @returns {Promise<string[]>} */
    async evaluateSamples() {
      const job = await evaluate({ kb: "sample", dataset: "sample", strategies: ["vector", "bm25", "hybrid", "hybrid+rerank"], metrics: ["nDCG@10", "Recall@5", "Hit@3", "MRR@10", "Precision@3"] });
      return job.eval.runs.map((/** @type {{ run_id: string }} */ run) => run.run_id);
    },
    async stop() {
      running.child.kill("SIGINT");
      await running.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
