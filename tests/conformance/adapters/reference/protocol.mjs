// The parts of docs/protocol.md that both modes share, written from that page alone: calling Postgres, running one attempt, settling a batch.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { handler } from "./handler.mjs";

const KINDS = ["conform", "conform_two"];
export const knows = (kind) => KINDS.includes(kind);

const PASSING_STATUS = [502, 503, 504];
const PASSING_CODE = ["40001", "40P01", "55P03", "57014", "25006", "GWT429"];

export class Refused extends Error {
  constructor(status, body) {
    super(body?.message ?? `status ${status}`);
    Object.assign(this, { status, code: body?.code, details: body?.details });
  }
}

/** One RPC, repeated while its error will pass by itself. `value` is the answer, `at` the database's clock when it was given. */
export async function call(name, args, { traceparent, until = Infinity, signal } = {}) {
  for (let pause = 100; ; pause = Math.min(pause * 2, 30_000)) {
    let wait = pause * (1 - Math.random() / 2);
    let problem;
    try {
      const answer = await fetch(`${process.env.SUPABASE_URL}/rest/v1/rpc/${name}`, {
        method: "POST", signal: AbortSignal.timeout(10_000), body: JSON.stringify(args),
        headers: { apikey: process.env.SUPABASE_SERVICE_ROLE_KEY, authorization: `Bearer ${process.env.SUPABASE_SERVICE_ROLE_KEY}`,
          "content-type": "application/json", ...(traceparent && { traceparent }) },
      });
      const text = await answer.text();
      if (answer.ok) return { value: text ? JSON.parse(text) : null, at: Date.parse(answer.headers.get("date")) };
      let body = null;
      try { body = JSON.parse(text); } catch { /* not from PostgREST */ }
      problem = new Refused(answer.status, body);
      if (!PASSING_STATUS.includes(answer.status) && !PASSING_CODE.includes(problem.code)) throw problem;
      wait = Math.max(wait, 1000 * Number(answer.headers.get("retry-after") ?? 0));
    } catch (error) {
      if (error === problem) throw error;
      problem = error; // no connection, or no answer
    }
    if (Date.now() + wait > until || signal?.aborted) throw problem;
    await sleep(wait, null, { signal });
  }
}

/** The span of this attempt, as `traceparent`. */
function spanOf(job) {
  const [, trace, , flags] = job.traceparent?.split("-") ?? [null, job.id.replaceAll("-", ""), null, "01"];
  return `00-${trace}-${createHash("sha256").update(`${job.id}:${job.attempt}`).digest("hex").slice(0, 16)}-${flags}`;
}

/** Runs one attempt, for `longest` milliseconds at most. Gives its outcome, which never throws, or null for a job that was put off. `held` has `signal`, and gets `progress` and `logs`. */
export async function attempt(job, held, longest = Infinity) {
  const given = await ending(job, held, longest);
  if (given.suspended) return null; // or lost: there is nothing to settle
  const logs = held.logs.splice(0);
  return { id: job.id, attempt: job.attempt, ...given, ...(logs.length > 0 && { logs }) };
}

async function ending(job, held, longest) {
  if (!knows(job.kind)) {
    console.error(`no handler for the kind ${job.kind}`);
    return { outcome: "released", delay_seconds: 60, error: { type: "unknown_kind", message: `no handler for the kind ${job.kind}`, retryable: true } };
  }
  const timer = new AbortController();
  try {
    const late = longest < Infinity && sleep(longest, null, { signal: timer.signal })
      .then(() => ({ outcome: "failed", error: { type: "timeout", message: `not done after ${longest / 1000} s`, retryable: true } }), () => {});
    const context = { job, held, late: Date.now() + longest * 0.8, worker: held.worker, call: (name, args) => call(name, args, { traceparent: spanOf(job) }), traceparent: spanOf(job) };
    const done = Promise.resolve(handler(context)).then((result) => ({ outcome: "completed", result: result ?? null }));
    return await (late ? Promise.race([late, done]) : done);
  } catch (error) {
    if (error.suspended) return error;
    return error.outcome ?? { outcome: "failed", error: { type: error.name, message: error.message, retryable: true, stack: error.stack } };
  } finally {
    timer.abort();
  }
}

/** Settles a batch. When it is refused as a whole, one by one; what is refused alone is a dead letter. Gives [{id, status}]. */
export async function settle(worker, outcomes, { invocation, until } = {}) {
  const send = async (some, isLast) => (await call("settle_jobs", { p_worker: worker, p_outcomes: some, ...(isLast && invocation && { p_invocation: invocation }) }, { until })).value;
  try {
    return await send(outcomes, true);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  const settled = [];
  for (const outcome of outcomes) {
    try {
      settled.push(...await send([outcome], outcome === outcomes.at(-1)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { id, attempt } = outcome;
      settled.push(...await send([{ id, attempt, outcome: "dead", error: { type: "outcome_refused", message: error.message, retryable: false } }], outcome === outcomes.at(-1)));
    }
  }
  return settled;
}
