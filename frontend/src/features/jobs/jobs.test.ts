import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ServiceError, pageError } from "@/api/errors";
import type { EventListener } from "@/api/transport";
import type { DocumentStatus, Job } from "@/api/types.gen";
import { createJobs, isSettled } from "./jobs";
import { shallowRef } from "vue";

const job = (over: Partial<Job> = {}): Job => ({
  id: "j1", kind: "ingest", state: "running", stage: "embed", done: 0, total: 3, seconds_left: null, text: "", report: null, live: null, eval: null, judged: null, marked: null, probed: null, rescored: null, tune: null, answer: null, comparison: null, model: null, verified: null, speed: null, words: null, exported: null, restored: null, error: null, ...over,
});
const file = (source: string): DocumentStatus => ({
  source, doc_id: source, status: "indexed", format: null, encoding: null, chars: null, pages: null, chunks: 1, tokens: null,
  health: null, warnings: [], error: null, path: null, tried: null,
});

function setUp(answer: () => Promise<Job>, running: readonly Job[] = []) {
  const open: { listener: EventListener | null } = { listener: null };
  const jobs = createJobs({
    getJob: answer,
    listJobs: () => Promise.resolve({ jobs: [...running] }),
    connection: { trouble: shallowRef(null), look: () => Promise.resolve(), onBack: () => () => undefined },
    cancelJob: () => Promise.resolve(job({ state: "cancelled" })),
    events: {
      listen(listener) {
        open.listener = listener;
        return () => { open.listener = null; };
      },
    },
  });
  return { jobs, open };
}

beforeEach(() => {
  vi.useFakeTimers();
  const items = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it.each([
  [job({ state: "done" }), true],
  [job({ state: "running" }), false],
  [job({ state: "failed" }), false],
  [job({ state: "cancelled" }), false],
  [job({ state: "done", report: { totals: { indexed: 2, failed: 1 } } as unknown as Job["report"] }), false],
  [job({ state: "done", report: { totals: { indexed: 2, failed: 0 } } as unknown as Job["report"] }), true],
])("a job folds away when nothing of it is left to look at: %#", (one, want) => {
  expect(isSettled(one)).toBe(want);
});

describe("createJobs", () => {
  it("follows events to the end, then stops listening", () => {
    const { jobs, open } = setUp(() => Promise.resolve(job()));
    const ended: string[] = [];
    jobs.onEnd((j) => ended.push(j.state));
    jobs.track(job());
    open.listener?.event({ seq: 1, kind: "item", job: job({ done: 1 }), item: file("a.md") });
    expect(jobs.tracked.value[0]).toMatchObject({ job: { done: 1 }, items: [{ source: "a.md" }] });
    const summary = {
      totals: {}, warnings: {}, encodings: {}, formats: {},
      health: { encoding_confidence: 1, pages: 0, pages_with_text: 0, rows_read: 0, rows_kept: 0, tables: 0, images: 0, repeated_lines: 0, garbled: 0 },
    };
    const report = { kb: "k", documents: [file("a.md"), file("b.md")], totals: { indexed: 2 }, seconds: 1, summary };
    open.listener?.event({ seq: 2, kind: "end", job: job({ state: "done", report }), item: null });
    expect(jobs.tracked.value[0]?.items).toHaveLength(2);
    expect(ended).toEqual(["done"]);
    expect(open.listener).toBeNull();
  });

  it("finds the end by looking when events are lost, and tells it once", async () => {
    const { jobs, open } = setUp(() => Promise.resolve(job({ state: "done" })));
    const ended: string[] = [];
    jobs.onEnd((j) => ended.push(j.state));
    jobs.track(job());
    await vi.advanceTimersByTimeAsync(2000);
    open.listener?.event({ seq: 9, kind: "progress", job: job({ done: 1 }), item: null });
    expect(ended).toEqual(["done"]);
    expect(jobs.tracked.value[0]?.job.state).toBe("done");
  });

  it("says that the program does not answer, and recovers", async () => {
    let fail = true;
    const { jobs } = setUp(() => (fail ? Promise.reject(pageError("unreachable")) : Promise.resolve(job({ done: 2 }))));
    jobs.track(job());
    await vi.advanceTimersByTimeAsync(2000);
    expect(jobs.tracked.value[0]?.lost?.code).toBe("unreachable");
    fail = false;
    await vi.advanceTimersByTimeAsync(2000);
    expect(jobs.tracked.value[0]).toMatchObject({ lost: null, job: { done: 2 } });
  });

  it("says that a program which was started anew does not know the job", async () => {
    const unknown = new ServiceError({ code: "job_unknown", message: "", params: {} });
    const { jobs } = setUp(() => Promise.reject(unknown));
    jobs.track(job());
    await vi.advanceTimersByTimeAsync(2000);
    expect(jobs.tracked.value[0]?.job).toMatchObject({ state: "failed", error: { code: "job_lost" } });
  });

  it("takes up a running job after a reload", async () => {
    setUp(() => Promise.resolve(job())).jobs.track(job({ kind: "ask" }));
    const { jobs } = setUp(() => Promise.resolve(job({ kind: "ask", done: 2 })), [job({ kind: "ask", done: 2 })]);
    await jobs.resume();
    expect(jobs.tracked.value[0]?.job.done).toBe(2);
  });

  it("takes up the work of another page, but not its answers", async () => {
    const { jobs } = setUp(() => Promise.resolve(job()), [job({ id: "j2", kind: "eval" }), job({ id: "j3", kind: "compare" })]);
    await jobs.resume();
    expect(jobs.tracked.value.map((one) => one.job.id)).toEqual(["j2"]);
  });

  it("cancels", async () => {
    const { jobs } = setUp(() => Promise.resolve(job()));
    jobs.track(job());
    await jobs.cancel("j1");
    expect(jobs.tracked.value[0]).toMatchObject({ job: { state: "cancelled" }, cancelling: true });
    jobs.dismiss("j1");
    expect(jobs.tracked.value).toEqual([]);
  });

  it("tells the end of a job that was over before it was followed", () => {
    const { jobs } = setUp(() => Promise.resolve(job()));
    const ended: string[] = [];
    jobs.onEnd((j) => ended.push(j.state));
    jobs.track(job({ state: "failed" }));
    expect(ended).toEqual(["failed"]);
  });
});
