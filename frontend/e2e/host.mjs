import { createServer } from "node:http";

/**
 * What a scripted model is asked: the prompt, and the schema of the reply where it has one.
 * @typedef {{ prompt: string, schema: any }} Asked
 */

/**
 * Starts a host of one small chat model on this machine, which says what a function says.
 * @param {string} model
 * @param {(asked: Asked) => string} says
 */
export async function startHost(model, says) {
  const replies = {
    "/api/version": { version: "0.9.6" },
    "/api/tags": { models: [{ name: model, digest: "d1", size: 1_359_293_444, modified_at: "2026-01-01T00:00:00Z", details: { quantization_level: "Q4_K_M" } }] },
    "/api/ps": { models: [] },
    "/api/show": { template: "<|user|>{{ .Prompt }}", model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 }, capabilities: ["completion"] },
  };
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    const known = replies[/** @type {keyof typeof replies} */ (request.url ?? "")];
    if (known) return response.end(JSON.stringify(known));
    if (request.url !== "/api/chat") return response.writeHead(404).end();
    const { messages, format } = JSON.parse(body);
    const prompt = messages.at(-1).content;
    const content = says({ prompt, schema: format ?? null });
    const line = (/** @type {object} */ value) => response.write(`${JSON.stringify(value)}\n`);
    line({ message: { content } });
    line({ done: true, done_reason: "stop", prompt_eval_count: Math.ceil(prompt.length / 3), eval_count: content.length });
    return response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, stop: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }) };
}
