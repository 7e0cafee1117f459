// gristmill/pg: enqueues in a transaction of node-postgres. It takes whatever has its query(text, values): a client, a client of a pool, PGlite and its transactions.
import type { EnqueueOptions, Job, NewJob } from "../job.js";
import type { Enqueued } from "../mill.js";
import { ENQUEUE, enqueueAllBy, enqueueBy, type EnqueuedOrNot } from "./transaction.js";

/** A client of node-postgres between `begin` and `commit`. A pool is none: each of its queries may run on another connection. */
export interface Client {
  query(text: string, values: any[]): PromiseLike<{ rows: any[] }>;
  totalCount?: never;
}

const runner = (tx: Client) => {
  if ("totalCount" in tx) throw new TypeError("a pool has no transaction: take a client by pool.connect(), and begin one");
  return async (jobs: string) => (await tx.query(ENQUEUE, [jobs])).rows;
};

/** Enqueues one job in the transaction of the client. The job exists when that commits. */
export async function enqueue<Input>(tx: Client, job: Job<string, Input, any>, payload: NoInfer<Input>, options?: EnqueueOptions): Promise<Enqueued> {
  return enqueueBy(runner(tx), job, payload, options);
}

/** Enqueues jobs of any kinds: `enqueueAll(client, [a.with(payload), b.with(payload, options)])`. */
export async function enqueueAll(tx: Client, jobs: readonly NewJob[]): Promise<EnqueuedOrNot[]> {
  return enqueueAllBy(runner(tx), jobs);
}
