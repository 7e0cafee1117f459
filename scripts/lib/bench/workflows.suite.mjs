// fan-out tasks of one workflow beside plain jobs
import { randomUUID } from "node:crypto";

import pg from "pg";

import { Stack } from "../../../sdk/local/stack/stack.mjs";

const TASKS = 10_000;
const BATCH = 200;
const CONNECTIONS = 4;
const ROUNDS = 5;

/** Plain jobs and fan-out tasks in turns on one database: enqueue or start, claim and complete until nothing is left. */
export default async function* measure({ progress }) {
  const stack = new Stack(`bench-workflows-${process.pid}`, { parts: [], onStep: (part) => progress(`starting ${part}`) });
  const pool = () => new pg.Pool({ connectionString: stack.databaseUrl, max: CONNECTIONS });
  let database;
  try {
    await stack.start();
    database = pool();
    await database.query("insert into mill.queue (queue, max_attempts) values ('bench', 3)");
    await database.query("insert into mill.kind (kind, queue) values ('bench', 'bench')");
    await database.query("insert into workflow_definition (type, tasks) values ('bench', $1)", [JSON.stringify([
      { key: "l", kind: "bench", input: { n: 1 } },
      { key: "a", kind: "bench", needs: ["l"], for_each: "l.list", input: { n: "{{item}}" } }])]);
    const plain = [];
    const fanned = [];
    let updates = 0;
    let batches = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      progress(`round ${round} of ${ROUNDS}: plain jobs`);
      const plainRate = await rate(database, () => enqueue(database));
      progress(`round ${round} of ${ROUNDS}: fan-out tasks`);
      let job;
      const fannedRate = await rate(database, async () => { job = await startJob(database); batches++; }, () => batches++);
      const { rows: [{ status, revision }] } = await database.query("select status, revision::int from jobs where id = $1", [job]);
      if (status !== "completed") throw new Error(`the workflow is ${status}`);
      updates += revision;
      if (round === 0) continue; // warms up
      plain.push(plainRate);
      fanned.push(fannedRate);
    }
    // Ratios are taken within a round and only then compared: what else the machine does changes from round to round.
    const median = (figures) => [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)];
    for (const [which, what] of [["whole", "made, claimed and completed"], ["drain", "claimed and completed"]]) {
      const ratios = fanned.map((figure, round) => figure[which] / plain[round][which]);
      progress(`${what}, ratio by round: ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}`);
      yield { metric: `plain jobs, ${what}`, value: median(plain.map((figure) => figure[which])), unit: "jobs/s" };
      yield { metric: `fan-out tasks of one workflow, ${what}`, value: median(fanned.map((figure) => figure[which])), unit: "tasks/s",
        peer: "plain jobs", ratio: median(ratios) };
    }
    yield { metric: "updates of the workflow", value: updates / batches, unit: "per settled batch", peer: "limit 1", ratio: updates / batches };
  } finally {
    progress("stopping");
    await database?.end();
    await stack.destroy();
  }
}

async function enqueue(database) {
  for (let at = 0; at < TASKS; at += BATCH) {
    const jobs = Array.from({ length: BATCH }, (_, n) => ({ kind: "bench", payload: { n: at + n } }));
    await database.query("select count(*) from mill.enqueue($1)", [JSON.stringify(jobs)]);
  }
}

async function startJob(database) {
  const { rows } = await database.query("insert into jobs (type, user_id) values ('bench', $1) returning id", [randomUUID()]);
  const { rows: [first] } = await database.query("select id, attempt from mill.claim('list', array['bench'], 1)");
  const result = { list: Array.from({ length: TASKS }, (_, n) => n) };
  await database.query("select mill.settle('list', $1)", [JSON.stringify([{ ...first, outcome: "completed", result }])]);
  return rows[0].id;
}

async function rate(database, fill, onBatch = () => {}) {
  const begun = performance.now();
  await fill();
  const filled = performance.now();
  let done = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, async (_, at) => {
    while (done < TASKS) {
      const { rows } = await database.query("select id, attempt from mill.claim($1, array['bench'], $2)", [`b${at}`, BATCH]);
      if (rows.length === 0) continue;
      await database.query("select count(*) from mill.settle($1, $2)", [`b${at}`, JSON.stringify(rows.map((row) => ({ ...row, outcome: "completed" })))]);
      done += rows.length;
      onBatch();
    }
  }));
  const perSecond = (since) => TASKS / ((performance.now() - since) / 1000);
  return { whole: perSecond(begun), drain: perSecond(filled) };
}
