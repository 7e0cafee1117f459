// The loads that every contender gets: the same connections, the same batches, the same payload.
import { performance } from "node:perf_hooks";

export const CONNECTIONS = 4;

const HOUSEKEEPING_MS = 5_000; // pump.interval_seconds as it is installed

const payloads = (count) => Array.from({ length: count }, (_, n) => ({ n }));

/** Runs `work(n)` over each of the connections at once, and returns the seconds it took. */
export async function overConnections(work, connections = CONNECTIONS) {
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, (_, n) => work(n)));
  return (performance.now() - begun) / 1000;
}

/** Enqueues `jobs` jobs in batches; returns the seconds it took. */
export function enqueueAll(queue, jobs, batch) {
  let left = jobs;
  return overConnections(async () => {
    while ((left -= batch) >= 0) await queue.enqueue(payloads(batch));
  });
}

/** Claims until `jobs` jobs are leased; returns them by batch, with what each call took in milliseconds. */
export async function claimAll(queue, jobs, batch) {
  const batches = [];
  const latencies = [];
  let left = jobs;
  const seconds = await overConnections(async () => {
    while (left > 0) {
      const begun = performance.now();
      const claimed = await queue.claim(batch);
      latencies.push(performance.now() - begun);
      left -= claimed.length;
      if (claimed.length > 0) batches.push(claimed);
    }
  });
  return { batches, latencies, seconds };
}

export function completeAll(queue, batches) {
  const left = [...batches];
  return overConnections(async () => {
    for (let batch; (batch = left.pop());) await queue.complete(batch);
  });
}

/** Does what a queue needs beside its workers, now and as often as in production. Returns what ends it. */
export function keepHouse(queue) {
  if (!queue.housekeep) return () => {};
  const round = () => queue.housekeep().catch(() => {});
  round();
  const rounds = setInterval(round, HOUSEKEEPING_MS);
  return () => clearInterval(rounds);
}

/**
 * Each connection enqueues a batch, claims one and completes it, over and over, until `seconds` are gone. Returns
 * the jobs completed a second, over all, and calls `onWindow(rate)` for each window of `windowSeconds`.
 */
export async function lifecycle(queue, { batch, seconds, windowSeconds = seconds, onWindow = () => {} }) {
  const until = performance.now() + seconds * 1000;
  let done = 0;
  let reported = 0;
  const windows = setInterval(() => {
    onWindow((done - reported) / windowSeconds);
    reported = done;
  }, windowSeconds * 1000);
  const stopHousekeeping = keepHouse(queue);
  try {
    const took = await overConnections(async () => {
      while (performance.now() < until) {
        await queue.enqueue(payloads(batch));
        const claimed = await queue.claim(batch);
        if (claimed.length > 0) await queue.complete(claimed);
        done += claimed.length;
      }
    });
    return done / took;
  } finally {
    clearInterval(windows);
    stopHousekeeping();
  }
}
