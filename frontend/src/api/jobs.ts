import { inject, type InjectionKey, type Ref } from "vue";
import type { ServiceError } from "./errors";
import type { DocumentStatus, Job } from "./types.gen";

/** A job the page follows. */
export interface TrackedJob {
  readonly job: Job;
  /** Files finished so far; the report's own list once there is one. */
  readonly items: readonly DocumentStatus[];
  /** Why the last look at the job found nothing; null while it is answered. */
  readonly lost: ServiceError | null;
  /** The user asked for its end. */
  readonly cancelling: boolean;
}

/** Follows long work from its start to its end, through reloads too. */
export interface Jobs {
  readonly tracked: Readonly<Ref<readonly TrackedJob[]>>;
  /** Follows a job that was just started. */
  track(job: Job): void;
  cancel(id: string): Promise<void>;
  /** Takes a finished job out of sight. */
  dismiss(id: string): void;
  /** Calls listener at the end of each job, until the returned function is called. */
  onEnd(listener: (job: Job) => void): () => void;
  /** Takes up the jobs this window followed before it was reloaded. */
  resume(): Promise<void>;
}

/** Where the shell leaves the jobs for the screens. */
export const jobsKey: InjectionKey<Jobs> = Symbol("jobs");

/** The jobs, inside a component's setup. */
export function useJobs(): Jobs {
  const jobs = inject(jobsKey);
  if (!jobs) throw new Error("no jobs were provided");
  return jobs;
}
