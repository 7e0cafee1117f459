// BullMQ 6 on its Postgres backend, by its own Queue and Worker. As its page on Postgres advises: a pool with a connection for each job that
// runs at once, and completed jobs removed. A worker of BullMQ finishes a
// job and fetches the next one in one call; it has no way of fetching more.
import { createPostgresBackend, Queue, runMigrations, Worker } from "bullmq";
import pg from "pg";

export const name = "BullMQ";
export const hasNoBatches = true;

const QUEUE = "bench";

// In an ES module BullMQ takes a pool and not an address, and then its schema has to be on the search path.
const poolOf = (url, max) => {
  const pool = new pg.Pool({ connectionString: url, max, options: "-c search_path=bullmq" });
  pool.on("error", () => {});
  return pool;
};

export async function install({ client }) {
  await runMigrations(client);
}

export const unfinished = `select count(*)::int as jobs from bullmq.job where state not in ('completed', 'failed')`;

export async function produce({ url }, { inFlight }) {
  const pool = poolOf(url, inFlight);
  const queue = new Queue(QUEUE, { connection: pool, defaultJobOptions: { removeOnComplete: true } }, createPostgresBackend);
  await queue.waitUntilReady();
  return {
    enqueue: (payload) => queue.add("noop", payload),
    enqueueMany: (payloads) => queue.addBulk(payloads.map((data) => ({ name: "noop", data }))),
    async close() {
      await queue.close();
      await pool.end();
    },
  };
}

export async function work({ url }, { concurrency, onJob }) {
  const pool = poolOf(url, Math.max(10, concurrency) + 1); // and one that listens
  const worker = new Worker(QUEUE, async () => onJob(), { connection: pool, concurrency }, createPostgresBackend);
  worker.on("error", (error) => console.error(error));
  return async () => {
    await worker.close();
    await pool.end();
  };
}
