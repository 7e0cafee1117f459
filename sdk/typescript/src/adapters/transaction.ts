// What the adapters share: jobs enqueued in the caller's own transaction, by a role that is a member of gristmill_app.
import { GristmillError, QueueFull } from "../errors.js";
import { errorOf } from "../refusal.js";
import type { EnqueueOptions, Job, NewJob } from "../job.js";
import type { Enqueued } from "../mill.js";
import { rowOf } from "../row.js";

/** By way of text: some drivers would make JSON of a text for a parameter that is jsonb. */
export const ENQUEUE = "select e.id::text as id, e.status from mill.enqueue($1::text::jsonb) e order by e.ordinal";

/** What became of a job of many: `throttled` when its queue had no space for it. */
export type EnqueuedOrNot = Enqueued | { id: null; status: "throttled" };

/** Runs ENQUEUE with one parameter, in the transaction. */
type Run = (jobs: string) => PromiseLike<{ id: string | null; status: string }[]>;

export async function enqueueAllBy(run: Run, jobs: readonly NewJob[]): Promise<EnqueuedOrNot[]> {
  const rows = await Promise.all(jobs.map((job) => rowOf(job)));
  if (rows.length === 0) return [];
  try {
    return (await run(JSON.stringify(rows))).map(({ id, status }) => ({ id, status }) as EnqueuedOrNot);
  } catch (error) {
    throw refusalOf(error);
  }
}

export async function enqueueBy<Input>(run: Run, job: Job<string, Input, any>, payload: Input, options?: EnqueueOptions): Promise<Enqueued> {
  const [answer] = await enqueueAllBy(run, [job.with(payload, options)]);
  if (answer!.status === "throttled") throw new QueueFull("GM006", `the queue of "${job.kind}" is full`, { status: 429, retryable: true });
  return answer as Enqueued;
}

/** An error of Gristmill's own, from what a driver or an ORM makes of it. Any other is left as it is, for code that knows the driver's errors. */
function refusalOf(error: unknown): unknown {
  type Reported = { code?: unknown; originalCode?: unknown; message?: string; originalMessage?: string; detail?: string; hint?: string; cause?: unknown; meta?: Record<string, unknown> };
  for (let at = error as Reported | undefined, depth = 0; at && depth < 5; at = (at.meta?.["driverAdapterError"] ?? at.cause ?? at.meta) as Reported | undefined, depth++) {
    const code = [at.code, at.originalCode].find((one) => typeof one === "string" && /^GM\d{3}$/.test(one));
    if (code === undefined) continue;
    const found: GristmillError = errorOf("mill.enqueue", 400, JSON.stringify({ code, message: at.originalMessage ?? at.message, details: at.detail, hint: at.hint }));
    found.cause = error;
    return found;
  }
  return error;
}
