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
    case "register": return (await context.call("register_jobs", { p_definition: { kinds: [MAIL] } })).value;
    default: throw new Error(`there is no instruction ${payload.do}`);
  }
}
