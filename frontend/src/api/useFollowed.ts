import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type ShallowRef } from "vue";
import { useApi } from "./index";
import { isLost } from "./connection";
import { toServiceError, type ServiceError } from "./errors";
import { useJobs } from "./jobs";
import { openSlot } from "@/lib/storage";
import type { Job } from "./types.gen";

/** One job that a screen shows itself, from its start to its end and after. */
export interface Followed {
  /** As it is known now; the last one stays when it has ended. */
  readonly job: Readonly<ShallowRef<Job | null>>;
  readonly running: ComputedRef<boolean>;
  /** Why it is not known how far the job is; null while that is known, and while nothing answers at all, which the shell says. */
  readonly lost: ComputedRef<ServiceError | null>;
  /** Follows a job that was started, in place of another. */
  follow(job: Job): void;
  /** Takes a job up again after a reload; false when the program knows it no more. */
  resume(id: string): Promise<boolean>;
  /** Takes up the remembered job, when none is followed. */
  takeUp(): Promise<void>;
  /** Asks the job to end; what it has by then is kept. */
  stop(): Promise<void>;
  /** Is told of the end of each job that is followed. */
  onEnd(listener: (job: Job) => void): void;
}

/** Where a screen remembers its job through a reload: under a name, one for each thing the work is done on. */
export interface Remembered {
  readonly name: string;
  readonly of: () => string;
}
const isIds = (value: unknown): value is Record<string, string> =>
  typeof value === "object" && value !== null && Object.values(value).every((id) => typeof id === "string");

/** Follows one job at a time, inside a component's setup. */
export function useFollowed(remembered?: Remembered): Followed {
  const slot = remembered ? openSlot<Record<string, string>>(() => sessionStorage, remembered.name, {}, isIds) : null;
  const api = useApi();
  const jobs = useJobs();
  const job = shallowRef<Job | null>(null);
  const listeners = new Set<(job: Job) => void>();
  const running = computed(() => job.value?.state === "running");
  const tracked = computed(() => jobs.tracked.value.find((one) => one.job.id === job.value?.id) ?? null);
  const lost = computed(() => {
    const why = running.value ? (tracked.value?.lost ?? null) : null;
    return isLost(why) ? null : why;
  });

  function take(now: Job): void {
    const ended = running.value && now.state !== "running";
    job.value = now;
    if (now.state !== "running") jobs.dismiss(now.id);
    if (ended) listeners.forEach((listener) => { listener(now); });
  }

  watch(tracked, (now) => {
    if (now) take(now.job);
  }, { flush: "sync" });

  function follow(started: Job): void {
    if (slot && remembered) slot.write({ ...slot.read(), [remembered.of()]: started.id });
    job.value = started;
    if (started.state === "running") jobs.track(started);
    else listeners.forEach((listener) => { listener(started); });
  }

  async function resume(id: string): Promise<boolean> {
    try {
      follow(await api.getJob({ id }));
      return true;
    } catch (reason) {
      if (toServiceError(reason).code !== "job_unknown") throw reason;
      return false;
    }
  }

  onScopeDispose(() => { listeners.clear(); });
  return {
    job,
    running,
    lost,
    follow,
    resume,
    async takeUp() {
      const id = remembered ? slot?.read()[remembered.of()] : undefined;
      if (id !== undefined && !job.value) await resume(id);
    },
    async stop() {
      if (job.value && running.value) await jobs.cancel(job.value.id);
    },
    onEnd(listener) { listeners.add(listener); },
  };
}
