// Enqueue, claim, complete and the whole lifecycle, ours beside each peer's, at several batch sizes.
import { percentile } from "../progress.mjs";
import { withClient } from "./databases.mjs";
import { claimAll, completeAll, enqueueAll, lifecycle } from "./load.mjs";
import { median } from "./median.mjs";

// Jobs for the separate phases; the lifecycle runs by the clock.
export const SIZES = [{ batch: 1, jobs: 200 }, { batch: 50, jobs: 6_000 }, { batch: 500, jobs: 10_000 }];

const METRICS = [
  ["lifecycle", "jobs/s"],
  ["enqueue", "jobs/s"],
  ["claim", "jobs/s"],
  ["complete", "jobs/s"],
  ["WAL", "bytes/job"],
  ["claim latency p50", "ms"],
  ["claim latency p99", "ms"],
];

/** Yields a figure for each batch size, or the one that is `only` wanted, metric and peer. `contenders` are {name, url, queue}, ours first. */
export async function* rates(contenders, { rounds, seconds, batch: only, progress }) {
  for (const { batch, jobs } of SIZES.filter((size) => only === null || size.batch === only)) {
    const results = new Map(contenders.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const contender of inTurn(contenders, round)) {
        progress(`batch ${batch}, round ${round + 1} of ${rounds}: ${contender.name}`);
        results.get(contender.name).push(await once(contender, { batch, jobs, seconds }));
      }
    }
    yield* compare(results, batch);
  }
}

// Whoever comes first meets an idle server: the turn goes round, and back again in every other round.
function inTurn(contenders, round) {
  const at = round % contenders.length;
  const turned = [...contenders.slice(at), ...contenders.slice(0, at)];
  return round % 2 === 0 ? turned : turned.reverse();
}

async function once({ queue, url }, { batch, jobs, seconds }) {
  // Nobody pays for the pages that another has left dirty.
  await withClient(url, (client) => client.query("checkpoint"));
  await lifecycle(queue, { batch, seconds: 0.3 });
  const before = await walPosition(url);
  const enqueued = await enqueueAll(queue, jobs, batch);
  const { batches, latencies, seconds: claimed } = await claimAll(queue, jobs, batch);
  const completed = await completeAll(queue, batches);
  const wal = await walPosition(url) - before;
  return {
    lifecycle: await lifecycle(queue, { batch, seconds }),
    enqueue: jobs / enqueued,
    claim: jobs / claimed,
    complete: jobs / completed,
    WAL: wal / jobs,
    "claim latency p50": percentile(latencies, 0.5),
    "claim latency p99": percentile(latencies, 0.99),
  };
}

async function walPosition(url) {
  const { rows } = await withClient(url, (client) => client.query("select pg_current_wal_insert_lsn() - '0/0' as bytes"));
  return Number(rows[0].bytes);
}

// The ratio is the median of the ratios within a round: what else the machine did then slowed both.
function* compare(results, batch) {
  const [[, ours], ...peers] = results;
  for (const [metric, unit] of METRICS) {
    const value = median(ours.map((round) => round[metric]));
    for (const [name, theirs] of peers) {
      const peer = `${name} ${Number(median(theirs.map((round) => round[metric])).toPrecision(4))}`;
      const ratio = median(ours.map((round, at) => round[metric] / theirs[at][metric]));
      yield { metric: `batch ${batch}: ${metric}`, value, unit, peer, ratio, of: { batch, metric, peer: name } };
    }
  }
}
