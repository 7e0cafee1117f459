// A long-lived worker: claims as many as it can start, keeps leases, settles and claims in one call, and drains when it is told to end.
import { randomBytes } from "node:crypto";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

import { Refused, attempt, call, settle } from "./protocol.mjs";

const worker = `${os.hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
const queues = [process.env.CONFORM_QUEUE];
const concurrency = Number(process.env.CONFORM_CONCURRENCY);
const running = new Map(); // by id: {job, abort, progress, logs}
const ended = [];
const end = new AbortController();
let shortest = 90_000, wake = () => {}, settlesAndClaims = true;

function start(jobs, at) {
  for (const job of jobs) {
    shortest = Math.min(shortest, Date.parse(job.lease_until) - at);
    const abort = new AbortController();
    const held = { worker, job, abort, signal: abort.signal, logs: [] };
    running.set(job.id, held);
    attempt(job, held).then((outcome) => {
      if (running.get(job.id) !== held) return; // lost, cancelled or released: nothing is settled
      running.delete(job.id);
      if (outcome) ended.push(outcome);
      wake();
    });
  }
}

async function claimNext(outcomes) {
  const asks = { p_worker: worker, p_queues: queues, p_max: concurrency - running.size };
  if (outcomes.length > 0 && settlesAndClaims) {
    try {
      const { value, at } = await call("settle_and_claim", { ...asks, p_outcomes: outcomes }, { signal: end.signal });
      return { value: value.jobs, at };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      settlesAndClaims = error.code !== "PGRST202"; // an older release
    }
  }
  if (outcomes.length > 0) await settle(worker, outcomes);
  return call("claim_jobs", asks, { signal: end.signal });
}

async function keepLeases() {
  for (let last = Date.now(); ; await sleep(50, null, { ref: false })) {
    if (running.size === 0) last = Date.now();
    if (Date.now() - last < Math.min(30_000, shortest / 3)) continue;
    last = Date.now();
    const leases = [...running.values()].map(({ job, progress, logs }) => ({ id: job.id, attempt: job.attempt,
      ...(progress !== undefined && { progress }), ...(logs.length > 0 && { logs: logs.splice(0) }) }));
    const { value } = await call("heartbeat_jobs", { p_worker: worker, p_leases: leases })
      .catch((error) => (console.error(error), { value: [] }));
    for (const { id } of value.filter(({ status }) => status !== "held")) {
      const held = running.get(id);
      running.delete(id);
      held?.abort.abort();
      wake();
    }
  }
}

const woken = (milliseconds) => Promise.race([new Promise((resolve) => { wake = resolve; }), ...(milliseconds ? [sleep(milliseconds)] : [])]);
const stop = () => { end.abort(); wake(); };
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
keepLeases();

for (let rest = 1000; !end.signal.aborted;) {
  if (running.size >= concurrency && ended.length === 0) {
    await woken();
    continue;
  }
  const outcomes = ended.splice(0);
  const { value: jobs, at } = await claimNext(outcomes).catch((error) => {
    if (!end.signal.aborted) throw error;
    ended.push(...outcomes); // a second settlement of the same changes nothing
    return { value: [] };
  });
  start(jobs, at);
  if (jobs.length > 0) rest = 1000;
  else {
    await woken(rest);
    rest = ended.length > 0 ? 1000 : Math.min(rest * 2, 5000);
  }
}

const deadline = Date.now() + Number(process.env.CONFORM_DRAIN_SECONDS) * 1000;
while (running.size > 0 && Date.now() < deadline) {
  if (ended.length === 0) await woken(deadline - Date.now());
  if (ended.length > 0) await settle(worker, ended.splice(0));
}
for (const { job, abort } of running.values()) {
  ended.push({ id: job.id, attempt: job.attempt, outcome: "released" });
  running.delete(job.id);
  abort.abort();
}
if (ended.length > 0) await settle(worker, ended);
await call("end_worker", { p_worker: worker }, { until: Date.now() + 3000 }).catch((error) => console.error(error));
process.exit(0);
