// The handler of the conformance kinds: what it does is in the payload. See the table in tests/conformance/README.md.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const MAIL = { kind: "conform_mail", queue: "conform_mail", max_attempts: 8, unique: { by: ["to"], within_seconds: 3600 },
  schema: { type: "object", required: ["to"], properties: { to: { type: "string" } } } };

const end = (outcome) => { throw Object.assign(new Error("an outcome"), { outcome }); };
const error = (type, message, retryable, more = {}) => ({ type, message, retryable, ...more });

async function stopped({ job, held }) {
  if (!held.signal.aborted) await once(held.signal, "abort");
  console.log(`conform stopped ${job.id}`);
}

export async function handler(context, payload = context.job.payload) {
  const { job, held } = context;
  const { message, seconds } = payload;
  switch (payload.do) {
    case "complete": return payload.result;
    case "nul": return "a\u0000b";
    case "large": return "x".repeat(payload.characters);
    case "sleep": await sleep(payload.milliseconds); return payload.result;
    case "fail": {
      const { type = "failure", times = 1000, http_status, provider } = payload;
      return job.attempt > times ? { attempt: job.attempt } : end({ outcome: "failed", error: error(type, message, true, { http_status, provider }) });
    }
    case "throw": throw new TypeError(message);
    case "retry": return end({ outcome: "failed", delay_seconds: seconds, error: error("retry", message, true) });
    case "snooze": return end({ outcome: "snoozed", delay_seconds: seconds, error: error("snoozed", message, true) });
    case "dead": return end({ outcome: "dead", error: error("dead", message, false) });
    case "hang": return new Promise(() => {});
    case "wait_stop": return stopped(context);
    case "log":
      held.logs.push(...payload.lines.map((line) => ({ at: new Date().toISOString(), ...line })));
      return payload.then ? handler(context, payload.then) : null;
    case "progress": held.progress = payload.percent; return stopped(context);
    case "context": {
      const { id, kind, queue, attempt, max_attempts, name, owner, group_key, correlation_id, traceparent } = job;
      return { id, kind, queue, attempt, max_attempts, name, owner, group_key, correlation_id, traceparent };
    }
    case "enqueue":
      try {
        const { value } = await context.call("enqueue_jobs", { p_jobs: (payload.all ?? [payload.to]).map((to) => (
          { kind: MAIL.kind, payload: { to }, traceparent: context.traceparent, ...payload.options })) });
        const answers = value.sort((one, other) => one.ordinal - other.ordinal).map(({ id, status }) => ({ id, status }));
        return payload.all ? answers : answers[0];
      } catch (refused) {
        return { code: refused.code, field: /field (\/.*)$/.exec(refused.details)?.[1] ?? null };
      }
    case "steps": return follow(context, payload.plan);
    case "register": return (await context.call("register_jobs", { p_definition: { kinds: [MAIL] } })).value;
    default: throw new Error(`there is no instruction ${payload.do}`);
  }
}

async function follow({ job, held, late, worker, call }, plan) {
  const names = new Map(), results = [];
  const known = new Map((await call("job_steps", { p_job: job.id })).value.map((one) => [one.step, one]));
  let hasFinished = false;
  const ask = async (rpc, p_step, more) => {
    const { value } = await call(rpc, { p_job: job.id, p_worker: worker, p_attempt: job.attempt, p_step, ...more });
    if (/suspended|lost/.test(value.status)) throw Object.assign(new Error(value.status), { suspended: true });
    hasFinished = true;
    return value;
  };
  for (const { step, sleep: nap, wait, seconds, milliseconds = 0, result = null } of plan) {
    const given = step ?? nap ?? wait;
    names.set(given, (names.get(given) ?? 0) + 1);
    const name = names.get(given) === 1 ? given : `${given}#${names.get(given)}`;
    const before = known.get(name);
    const logs = held.logs;
    if (before?.state === "finished" || before?.state === "timed_out") {
      if (!nap) results.push(before.result);
    } else if (step) {
      if (hasFinished && Date.now() > late) end({ outcome: "released" });
      await sleep(milliseconds);
      logs.push({ at: new Date().toISOString(), level: "info", message: `did ${step}` });
      const { status, result: kept } = await ask("record_step", name, { p_result: result });
      results.push(status === "known" ? kept : result);
    } else if (nap) {
      await ask("sleep_step", name, { p_seconds: seconds, ...(logs.length > 0 && { p_logs: logs }) });
    } else {
      const { payload = null } = await ask("wait_for_event", name, { p_event: wait, p_seconds: seconds, ...(logs.length > 0 && { p_logs: logs }) });
      results.push(payload);
    }
  }
  return results;
}
