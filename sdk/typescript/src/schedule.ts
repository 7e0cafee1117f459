import type { Duration } from "./duration.js";
import type { Job } from "./job.js";

interface Options<Payload> {
  /** The payload of its jobs. */
  payload: Payload;
  /** An IANA time zone such as `Europe/Paris`, in which `cron` is read; UTC by default. */
  timeZone?: string;
  /** Nothing is due before. Intervals are counted from it; by default from a Monday, so that `"1h"`, `"1d"` and `"1w"` fall on their beginning. */
  startsAt?: Date | string;
  /** What a due time does that comes while the job of an earlier one has not ended: `skip` by default, or `queue`. */
  overlap?: "skip" | "queue";
  /** What becomes of due times that passed while Postgres was down: one job for all of them by default, `none`, or `all` up to `catchUpLimit`. */
  catchUp?: "none" | "once" | "all";
  /** 100 by default, 1,000 at the most. */
  catchUpLimit?: number;
  priority?: number;
  groupKey?: string;
  /** For people. */
  description?: string;
}

/** When jobs are due: five fields, or an interval. */
type Times = { cron: string; every?: never } | { every: Duration; cron?: never };

export interface Schedule {
  readonly schedule: string;
  readonly job: Job<string, any, any>;
  readonly options: Options<any> & Times & { dueField?: string };
}

/** Jobs that are enqueued by themselves at due times, once it was registered: `mill.register({ jobs, schedules })`, or with the function that `serve` makes. */
export function defineSchedule<Input, Due extends keyof Input & string = never>(schedule: string, job: Job<string, Input, any>, options: Options<NoInfer<Omit<Input, Due>>> & Times & {
  /** The field of the payload into which the due time is written. */
  dueField?: Due;
}): Schedule {
  return { schedule, job, options };
}
