// enqueue to settled through the wake path, one job at a time; beside the relay, and beside a pg_net that rests
import { randomUUID } from "node:crypto";

import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { PgNet } from "../../../tests/stand-ins/pg_net.mjs";
import { percentile } from "./progress.mjs";

const WARM_UP = 5;
const JOBS = 50;
const LIMIT_MS = 100;
// Each takes a second there.
const JOBS_BESIDE_RESTS = 15;

// What issue 24 asks for, beside a pg_net that rests for a second between batches.
const START_LIMITS_MS = { p50: 50, p99: 300 };

export const parts = ["relay", "rests"];

export default async function* measure({ progress, only }) {
  if (only !== "rests") yield* besideRelay(progress);
  if (only !== "relay") yield* besideRests(progress);
}

function besideRelay(progress) {
  return withStack("relay", ["gateway", "relay", "workerd"], progress, async function* (stack, token) {
    const { started, settled } = await jobs(stack, token, JOBS, progress);
    for (const [name, values] of [["start", started], ["settled", settled]]) {
      for (const [share, of] of [["p50", 0.5], ["p99", 0.99]]) {
        const value = percentile(values, of);
        yield { metric: `enqueue to ${name}, ${share}`, value, unit: "ms", peer: `limit ${LIMIT_MS} ms`, ratio: value / LIMIT_MS };
      }
    }
  });
}

function besideRests(progress) {
  return withStack("pg_net", ["gateway", "workerd"], progress, async function* (stack, token) {
    const pgNet = await new PgNet(stack.databaseUrl).start();
    try {
      for (const [by, value, count] of [["pg_net alone", "false", JOBS_BESIDE_RESTS], ["the function", "true", JOBS]]) {
        await stack.postgres.query("update mill.settings set value = $1 where key = 'wake.by_function'", [value]);
        const { started } = await jobs(stack, token, count, (step) => progress(`woken by ${by}: ${step}`));
        for (const [share, of] of [["p50", 0.5], ["p99", 0.99]]) {
          const limit = START_LIMITS_MS[share];
          const found = percentile(started, of);
          yield { metric: `beside a pg_net that rests, woken by ${by}: enqueue to start, ${share}`, value: found, unit: "ms",
            ...(value === "true" && { peer: `limit ${limit} ms`, ratio: found / limit }) };
        }
      }
    } finally {
      await pgNet.stop();
    }
  });
}

async function* withStack(name, parts, progress, measured) {
  const stack = new Stack(`bench-wake-${name}-${process.pid}`, { parts, functions: ["enqueue", "processor"], applications: "none", onStep: (part) => progress(`starting ${part}`) });
  try {
    await stack.start();
    yield* measured(stack, await stack.token({ role: "authenticated", sub: randomUUID() }));
  } finally {
    progress("stopping");
    await stack.destroy();
  }
}

async function jobs(stack, token, count, progress) {
  const [started, settled] = [[], []];
  for (let at = -WARM_UP; at < count; at++) {
    progress(`job ${Math.max(at + 1, 0)} of ${count}`);
    const job = await oneJob(stack, token);
    if (at < 0) continue;
    // By the database's own clock, so that polling adds nothing.
    settled.push(Date.parse(job.finished_at) - Date.parse(job.created_at));
    started.push(Date.parse(job.started_at) - Date.parse(job.created_at));
  }
  return { started, settled };
}

async function oneJob(stack, token) {
  const headers = { authorization: `Bearer ${token}` };
  const address = `${stack.url}/functions/v1/enqueue`;
  const answer = await fetch(address, { method: "POST", headers, body: '{"kind":"echo","payload":{"a":1}}' });
  if (answer.status !== 202) throw new Error(`enqueue answered ${answer.status}: ${await answer.text()}`);
  const { id } = await answer.json();
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const job = await (await fetch(`${address}/${id}`, { headers })).json();
    if (job.state === "completed") return job;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`job ${id} was not settled within 30 s`);
}
