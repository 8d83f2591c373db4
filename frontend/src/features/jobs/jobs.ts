import { ref } from "vue";
import type { Api } from "@/api";
import { isAbort, pageError, toServiceError } from "@/api/errors";
import type { Jobs, TrackedJob } from "@/api/jobs";
import type { DocumentStatus, Event, Job } from "@/api/types.gen";
import { isStrings, openSlot } from "@/lib/storage";

export { jobsKey, useJobs } from "@/api/jobs";
export type { Jobs, TrackedJob } from "@/api/jobs";

/** How often a running job is looked at, in case its events do not arrive. */
const lookEvery = 2000;
/** Finished files kept in view while a job runs; its report has all of them. */
const itemsKept = 500;

const slot = openSlot<string[]>(() => sessionStorage, "ragdesk.jobs", [], isStrings);

/** How many files a job that did what it could did not read. */
export function unreadOf({ state, report }: Job): number {
  const counts = state === "done" ? (report?.totals ?? {}) : {};
  return (counts.failed ?? 0) + (counts.unsupported ?? 0) + (counts.needs_ocr ?? 0);
}

/** Nothing of it is left to look at: it ended well, and read all. */
export const isSettled = (job: Job): boolean => job.state === "done" && unreadOf(job) === 0;

/** An answer that is being written belongs to the page that asked for it. */
const isAnswer = ({ kind }: Job): boolean => kind === "ask" || kind === "compare";

/** Makes the follower of jobs. */
export function createJobs(api: Pick<Api, "getJob" | "listJobs" | "cancelJob" | "events" | "connection">): Jobs {
  const tracked = ref<readonly TrackedJob[]>([]);
  const listeners = new Set<(job: Job) => void>();
  let timer: ReturnType<typeof setInterval> | null = null;
  let stopListening: (() => void) | null = null;

  const find = (id: string): TrackedJob | undefined => tracked.value.find((t) => t.job.id === id);
  const running = (): TrackedJob[] => tracked.value.filter((t) => t.job.state === "running");

  function change(id: string, edit: (t: TrackedJob) => TrackedJob): void {
    tracked.value = tracked.value.map((t) => (t.job.id === id ? edit(t) : t));
  }

  function update(job: Job, item: DocumentStatus | null): void {
    const before = find(job.id);
    if (before?.job.state !== "running") return; // what ended stays as it ended
    change(job.id, (t) => ({
      ...t,
      // Progress comes without what there is of an answer or an evaluation so far.
      job: { ...job, answer: job.answer ?? t.job.answer, comparison: job.comparison ?? t.job.comparison, live: job.live ?? (job.state === "running" ? t.job.live : null) },
      lost: null,
      items: job.report?.documents ?? (item ? [...t.items, item].slice(-itemsKept) : t.items),
    }));
    if (job.state === "running") return;
    listeners.forEach((listener) => { listener(job); });
    settle();
  }

  /** Looks at running jobs only while there are any. */
  function settle(): void {
    slot.write(running().map((t) => t.job.id));
    if (running().length > 0 && timer === null) {
      timer = setInterval(() => void look(), lookEvery);
      listen();
    } else if (running().length === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
      stopListening?.();
      stopListening = null;
    }
  }

  function listen(): void {
    stopListening?.();
    stopListening = api.events.listen({
      event: (event: Event) => { update(event.job, event.item); },
      reset: () => void look(),
    });
  }
  // A stream that a new program refused does not open by itself.
  api.connection.onBack(() => {
    if (timer === null) return;
    listen();
    void look();
  });

  async function look(): Promise<void> {
    await Promise.all(running().map(async ({ job }) => {
      try {
        update(await api.getJob({ id: job.id }), null);
      } catch (reason) {
        if (isAbort(reason)) return;
        const error = toServiceError(reason);
        // A program that was started anew knows nothing of it.
        if (error.code === "job_unknown") update({ ...job, state: "failed", error: pageError("job_lost") }, null);
        else change(job.id, (t) => ({ ...t, lost: error }));
      }
    }));
  }

  function forget(id: string): void {
    tracked.value = tracked.value.filter((t) => t.job.id !== id);
    settle();
  }

  function track(job: Job): void {
    if (find(job.id)) return;
    tracked.value = [...tracked.value, { job: { ...job, state: "running" }, items: [], lost: null, cancelling: false }];
    settle();
    update(job, null); // a short job may have ended already, or before its events were heard
    if (find(job.id)?.job.state === "running") void look();
  }

  return {
    tracked,
    track,
    dismiss: forget,
    async cancel(id) {
      change(id, (t) => ({ ...t, cancelling: true }));
      try {
        update(await api.cancelJob({ id }), null);
      } catch (reason) {
        change(id, (t) => ({ ...t, cancelling: false, lost: toServiceError(reason) }));
      }
    },
    onEnd(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async resume() {
      const { jobs } = await api.listJobs({}).catch(() => ({ jobs: [] }));
      // An answer is for the page that asked; all other work is everybody's.
      const own = slot.read();
      jobs.filter((job) => own.includes(job.id) || !isAnswer(job)).forEach(track);
    },
  };
}
