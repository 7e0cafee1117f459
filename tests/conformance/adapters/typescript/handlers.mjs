// The conformance kinds on the package gristmill: the same handlers in Deno, workerd and Node.
import { dead, defineJob, GristmillError, handle, retry, snooze } from "../../../../sdk/typescript/dist/index.js";

const mail = defineJob("conform_mail", {
  maxAttempts: 8, unique: { by: ["to"], within: "1h" }, jsonSchema: { type: "object", required: ["to"], properties: { to: { type: "string" } } },
});

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const camel = (options) => Object.fromEntries(Object.entries(options).map(([name, value]) => [name.replace(/_./g, (part) => part[1].toUpperCase()), value]));

async function stopped({ job, signal }) {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  console.log(`conform stopped ${job.id}`);
}

async function conform(context, payload = context.payload) {
  const { job, log, mill } = context;
  const { message, seconds } = payload;
  switch (payload.do) {
    case "complete": return payload.result;
    case "nul": return "a\u0000b";
    case "large": return "x".repeat(payload.characters);
    case "sleep": await sleep(payload.milliseconds); return payload.result;
    case "fail": {
      const { times = 1000, type, http_status, provider } = payload;
      if (job.attempt > times) return { attempt: job.attempt };
      throw Object.assign(new Error(message), { type, http_status, provider });
    }
    case "throw": throw new TypeError(message);
    case "retry": return retry(message, { in: seconds });
    case "snooze": return snooze(seconds, message);
    case "dead": return dead(message);
    case "hang": return new Promise(() => {});
    case "wait_stop": return stopped(context);
    case "log":
      for (const { level, message, data } of payload.lines) log[level](message, data);
      return payload.then ? conform(context, payload.then) : null;
    case "progress": context.progress(payload.percent); return stopped(context);
    case "context": {
      const { maxAttempts, groupKey, correlationId, ...rest } = job;
      return { ...rest, max_attempts: maxAttempts, group_key: groupKey, correlation_id: correlationId };
    }
    case "enqueue":
      try {
        if (Array.isArray(payload.all)) return await mill.enqueueAll(payload.all.map((to) => mail.with({ to }, camel(payload.options ?? {}))));
        return await mill.enqueue(mail, { to: payload.to }, camel(payload.options ?? {}));
      } catch (error) {
        if (!(error instanceof GristmillError)) throw error;
        return { code: error.code, field: error.field ?? null };
      }
    case "steps": {
      const results = [];
      for (const { step, sleep: nap, wait, seconds, milliseconds = 0, result } of payload.plan) {
        if (nap) await context.sleep(nap, seconds);
        else if (wait) results.push((await context.waitFor(wait, { timeout: seconds })) ?? null);
        else results.push(await context.step(step, async () => {
          if (milliseconds) await sleep(milliseconds);
          log(`did ${step}`);
          return result;
        }));
      }
      return results;
    }
    case "register": return mill.register([mail]);
    default: throw new Error(`there is no instruction ${payload.do}`);
  }
}

export const handlers = ["conform", "conform_two"].map((kind) => handle(defineJob(kind), conform));
