// enqueue to settled through the wake path, one job at a time
import { randomUUID } from "node:crypto";

import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { percentile } from "./progress.mjs";

const WARM_UP = 5;
const JOBS = 50;
const LIMIT_MS = 100;

export default async function* measure({ progress }) {
  const stack = new Stack(`bench-wake-${process.pid}`, { onStep: (part) => progress(`starting ${part}`) });
  try {
    await stack.start();
    const token = await stack.token({ role: "authenticated", sub: randomUUID() });
    const settled = [];
    const started = [];
    for (let at = -WARM_UP; at < JOBS; at++) {
      progress(`job ${Math.max(at + 1, 0)} of ${JOBS}`);
      const job = await oneJob(stack, token);
      if (at < 0) continue;
      // By the database's own clock, so that polling adds nothing.
      settled.push(Date.parse(job.finished_at) - Date.parse(job.created_at));
      started.push(Date.parse(job.started_at) - Date.parse(job.created_at));
    }
    const figure = (metric, values, share) => {
      const value = percentile(values, share);
      return { metric, value, unit: "ms", peer: `limit ${LIMIT_MS} ms`, ratio: value / LIMIT_MS };
    };
    yield figure("enqueue to start, p50", started, 0.5);
    yield figure("enqueue to start, p99", started, 0.99);
    yield figure("enqueue to settled, p50", settled, 0.5);
    yield figure("enqueue to settled, p99", settled, 0.99);
  } finally {
    progress("stopping");
    await stack.destroy();
  }
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
