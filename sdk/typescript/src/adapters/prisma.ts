// gristmill/prisma: enqueues in an interactive transaction of Prisma.
import type { EnqueueOptions, Job, NewJob } from "../job.js";
import type { Enqueued } from "../mill.js";
import { ENQUEUE, enqueueAllBy, enqueueBy, type EnqueuedOrNot } from "./transaction.js";

/** What `prisma.$transaction(async (tx) => …)` passes. The client itself has `$transaction`, and is none. */
export interface Transaction {
  $queryRawUnsafe<T = unknown>(query: string, ...values: any[]): PromiseLike<T>;
  $transaction?: never;
}

const runner = (tx: Transaction) => (jobs: string) => tx.$queryRawUnsafe<{ id: string | null; status: string }[]>(ENQUEUE, jobs);

/** Enqueues one job in the transaction. The job exists when that commits. */
export async function enqueue<Input>(tx: Transaction, job: Job<string, Input, any>, payload: NoInfer<Input>, options?: EnqueueOptions): Promise<Enqueued> {
  return enqueueBy(runner(tx), job, payload, options);
}

/** Enqueues jobs of any kinds: `enqueueAll(tx, [a.with(payload), b.with(payload, options)])`. */
export async function enqueueAll(tx: Transaction, jobs: readonly NewJob[]): Promise<EnqueuedOrNot[]> {
  return enqueueAllBy(runner(tx), jobs);
}
