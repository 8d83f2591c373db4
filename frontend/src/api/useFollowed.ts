import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type ShallowRef } from "vue";
import { useApi } from "./index";
import { toServiceError, type ServiceError } from "./errors";
import { useJobs } from "./jobs";
import type { Job } from "./types.gen";

/** One job that a screen shows itself, from its start to its end and after. */
export interface Followed {
  /** As it is known now; the last one stays when it has ended. */
  readonly job: Readonly<ShallowRef<Job | null>>;
  readonly running: ComputedRef<boolean>;
  /** Why it is not known how far the job is; null while that is known. */
  readonly lost: ComputedRef<ServiceError | null>;
  /** Follows a job that was started, in place of another. */
  follow(job: Job): void;
  /** Takes a job up again after a reload; false when the program knows it no more. */
  resume(id: string): Promise<boolean>;
  /** Asks the job to end; what it has by then is kept. */
  stop(): Promise<void>;
  /** Is told of the end of each job that is followed. */
  onEnd(listener: (job: Job) => void): void;
}

/** Follows one job at a time, inside a component's setup. */
export function useFollowed(): Followed {
  const api = useApi();
  const jobs = useJobs();
  const job = shallowRef<Job | null>(null);
  const listeners = new Set<(job: Job) => void>();
  const running = computed(() => job.value?.state === "running");
  const tracked = computed(() => jobs.tracked.value.find((one) => one.job.id === job.value?.id) ?? null);
  const lost = computed(() => (running.value ? (tracked.value?.lost ?? null) : null));

  function take(now: Job): void {
    const ended = running.value && now.state !== "running";
    job.value = now;
    if (now.state !== "running") jobs.dismiss(now.id);
    if (ended) listeners.forEach((listener) => { listener(now); });
  }

  watch(tracked, (now) => {
    if (now) take(now.job);
    // A program that was started anew knows nothing of it.
    else if (job.value?.state === "running") take({ ...job.value, state: "failed", error: { code: "job_unknown", message: "job_unknown", params: { id: job.value.id } } });
  }, { flush: "sync" });

  function follow(started: Job): void {
    job.value = started;
    if (started.state === "running") jobs.track(started);
    else listeners.forEach((listener) => { listener(started); });
  }

  onScopeDispose(() => { listeners.clear(); });
  return {
    job,
    running,
    lost,
    follow,
    async resume(id) {
      try {
        follow(await api.getJob({ id }));
        return true;
      } catch (reason) {
        if (toServiceError(reason).code !== "job_unknown") throw reason;
        return false;
      }
    },
    async stop() {
      if (job.value && running.value) await jobs.cancel(job.value.id);
    },
    onEnd(listener) { listeners.add(listener); },
  };
}
