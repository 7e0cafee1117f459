// pg-boss by send, insert and work. A worker of pg-boss rests at least half a second between two fetches unless it is told that there is more:
// burstWhenBatchFull does so at once, but only for batches; with single jobs burstWhenReadyExceeds does, by the cached statistics of the queue,
// which are therefore refreshed before a run. As many workers (localConcurrency) as jobs that run at once are half as fast as one batch of them.
// Where jobs may be fetched ahead its handler gets 500 and does as many of them at once as it may.
import { setTimeout as sleep } from "node:timers/promises";
import { PgBoss } from "pg-boss";

export const name = "pg-boss";

const QUEUE = "bench";
const CACHE_SECONDS = 1;

async function start(url, max) {
  const boss = new PgBoss({ connectionString: url, max, supervise: false, schedule: false, monitorIntervalSeconds: 1, queueCacheIntervalSeconds: CACHE_SECONDS });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  return boss;
}

export async function install({ url }) {
  const boss = await start(url, 2);
  await boss.createQueue(QUEUE);
  await boss.stop({ graceful: false });
}

export const unfinished = `select count(*)::int as jobs from pgboss.job where name = '${QUEUE}' and state < 'completed'`;

export async function produce({ url }, { inFlight }) {
  const boss = await start(url, inFlight);
  return {
    enqueue: (payload) => boss.send(QUEUE, payload),
    enqueueMany: (payloads) => boss.insert(QUEUE, payloads.map((data) => ({ data }))),
    close: () => boss.stop({ graceful: false }),
  };
}

export async function work({ url }, { concurrency, fetchesAhead, onJob }) {
  const boss = await start(url, Math.max(10, concurrency));
  const batchSize = fetchesAhead ? 500 : concurrency;
  if (batchSize === 1) {
    await boss.supervise(QUEUE);
    await sleep((CACHE_SECONDS + 0.2) * 1000);
  }
  const handler = ([...jobs]) => Promise.all(Array.from({ length: concurrency }, async () => {
    while (jobs.pop()) await onJob();
  }));
  await boss.work(QUEUE, { batchSize, burstWhenBatchFull: true, burstWhenReadyExceeds: 1, pollingIntervalSeconds: 0.5 }, handler);
  return () => boss.stop({ graceful: false });
}
