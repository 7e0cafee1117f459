// How long a claim takes with few jobs waiting and with very many, beside millions that are finished. Each
// backlog has a database of its own and samples are taken in turn, so that noise falls on all alike.
import { performance } from "node:perf_hooks";

import { percentile } from "../progress.mjs";
import { create, withClient } from "./databases.mjs";
import * as gristmill from "./gristmill.mjs";

const BATCHES = [1, 50];
const LIMIT = 1.5;

export const sizes = {
  quick: [{ pending: 1_000, finished: 0 }, { pending: 20_000, finished: 0 }, { pending: 200_000, finished: 500_000 }],
  full: [{ pending: 1_000, finished: 0 }, { pending: 100_000, finished: 0 }, { pending: 1_000_000, finished: 10_000_000 }],
};

export async function* backlog(stack, { levels, samples, progress }) {
  const stocked = [];
  try {
    for (const level of levels) stocked.push(await stock(stack, level, progress));
    const took = new Map(stocked.map((stock) => [stock, BATCHES.map(() => [])]));
    for (let sample = 0; sample < samples; sample++) {
      progress(`claim latency by backlog: sample ${sample + 1} of ${samples}`);
      for (const stock of stocked) {
        for (const [at, batch] of BATCHES.entries()) took.get(stock)[at].push(await oneClaim(stock.queue, batch));
      }
    }
    for (const [at, batch] of BATCHES.entries()) yield* compare(stocked, took, at, batch);
  } finally {
    for (const { queue } of stocked) await queue.close();
  }
}

async function stock(stack, { pending, finished }, progress) {
  progress(`loading ${count(pending)} pending and ${count(finished)} finished`);
  const url = await create(stack, gristmill, `backlog_${pending}`);
  await withClient(url, async (client) => {
    if (finished > 0) await addFinished(client, url, finished);
    // Pending ones come in by the front door: whatever the engine keeps beside them is then as it would be.
    for (let left = pending; left > 0; left -= 1000) await client.query(PENDING, [Math.min(left, 1000)]);
    await client.query("vacuum analyze");
    await client.query("checkpoint");
  });
  return { pending, finished, queue: await gristmill.open(url, 1) }; // one connection: begin and commit are its own
}

const PENDING = `
  select count(*) from mill.enqueue((
    select jsonb_agg(jsonb_build_object('kind', '${gristmill.KIND}', 'payload', jsonb_build_object('n', n)))
    from generate_series(1, $1::int) n))`;

// One job goes the whole way, and its row is copied straight into its partition: the columns are the engine's
// affair. Ids ascend, as ours do.
async function addFinished(client, url, finished) {
  const queue = await gristmill.open(url, 1);
  await queue.enqueue([{ n: 1 }]);
  await queue.complete(await queue.claim(1));
  await queue.close();
  const { rows } = await client.query(`
    select quote_ident(attname) as name from pg_attribute
    where attrelid = 'mill.job_done'::regclass and attnum > 0 and not attisdropped order by attnum`);
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => (name === "id" ? "('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid" : name));
  await client.query(`
    insert into mill.job_done (${names})
    select ${values} from (select * from mill.job_done limit 1) as one, generate_series(1, $1::int) as n`, [finished]);
}

// The backlog is as large before each claim: what was claimed is completed and as many are enqueued anew. The
// commit is not timed: it waits for the disk, takes as long with any backlog, and would hide what does not.
async function oneClaim(queue, batch) {
  await queue.query("begin");
  const begun = performance.now();
  const claimed = await queue.claim(batch);
  const took = performance.now() - begun;
  await queue.query("commit");
  if (claimed.length !== batch) throw new Error(`claimed ${claimed.length} of ${batch} with a backlog`);
  await queue.complete(claimed);
  await queue.enqueue(claimed.map((job) => job[gristmill.PAYLOAD]));
  return took;
}

function* compare(stocked, took, at, batch) {
  const [least] = stocked;
  for (const [share, name] of [[0.5, "p50"], [0.99, "p99"]]) {
    const reference = percentile(took.get(least)[at], share);
    for (const stock of stocked) {
      const value = percentile(took.get(stock)[at], share);
      const behind = stock.finished > 0 ? ` + ${count(stock.finished)} finished` : "";
      yield {
        metric: `claim of ${batch} from ${count(stock.pending)} pending${behind}, ${name}`, value, unit: "ms",
        peer: stock === least ? null : `${count(least.pending)} pending, limit ${LIMIT}x`,
        ratio: stock === least ? null : value / reference,
      };
    }
  }
}

const count = (n) => n.toLocaleString("en").replaceAll(",", " ");
