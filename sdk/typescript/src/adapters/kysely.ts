// gristmill/kysely: enqueues in a transaction of Kysely.
import { sql, type Transaction } from "kysely";
import type { EnqueueOptions, Job, NewJob } from "../job.js";
import type { Enqueued } from "../mill.js";
import { ENQUEUE, enqueueAllBy, enqueueBy, type EnqueuedOrNot } from "./transaction.js";

const [before, after] = ENQUEUE.split("$1") as [string, string];

const runner = (tx: Transaction<any>) => async (jobs: string) =>
  (await sql<{ id: string | null; status: string }>`${sql.raw(before)}${jobs}${sql.raw(after)}`.execute(tx)).rows;

/** Enqueues one job in the transaction. The job exists when that commits. */
export async function enqueue<Input>(tx: Transaction<any>, job: Job<string, Input, any>, payload: NoInfer<Input>, options?: EnqueueOptions): Promise<Enqueued> {
  return enqueueBy(runner(tx), job, payload, options);
}

/** Enqueues jobs of any kinds: `enqueueAll(tx, [a.with(payload), b.with(payload, options)])`. */
export async function enqueueAll(tx: Transaction<any>, jobs: readonly NewJob[]): Promise<EnqueuedOrNot[]> {
  return enqueueAllBy(runner(tx), jobs);
}
