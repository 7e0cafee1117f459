// gristmill/drizzle: enqueues in a transaction of Drizzle, whatever its driver for Postgres.
import { sql, type SQLWrapper } from "drizzle-orm";
import type { EnqueueOptions, Job, NewJob } from "../job.js";
import type { Enqueued } from "../mill.js";
import { ENQUEUE, enqueueAllBy, enqueueBy, type EnqueuedOrNot } from "./transaction.js";

/** What `db.transaction(async (tx) => …)` passes. */
export interface Transaction {
  execute(query: SQLWrapper): PromiseLike<unknown>;
  /** A transaction has it; the database itself has not. */
  rollback(): never;
}

const [before, after] = ENQUEUE.split("$1") as [string, string];

// Drivers answer rows, or an object that has them.
const runner = (tx: Transaction) => async (jobs: string) => {
  const answer = await tx.execute(sql`${sql.raw(before)}${jobs}${sql.raw(after)}`);
  return (Array.isArray(answer) ? answer : (answer as { rows: any[] }).rows) as { id: string | null; status: string }[];
};

/** Enqueues one job in the transaction. The job exists when that commits. */
export async function enqueue<Input>(tx: Transaction, job: Job<string, Input, any>, payload: NoInfer<Input>, options?: EnqueueOptions): Promise<Enqueued> {
  return enqueueBy(runner(tx), job, payload, options);
}

/** Enqueues jobs of any kinds: `enqueueAll(tx, [a.with(payload), b.with(payload, options)])`. */
export async function enqueueAll(tx: Transaction, jobs: readonly NewJob[]): Promise<EnqueuedOrNot[]> {
  return enqueueAllBy(runner(tx), jobs);
}
