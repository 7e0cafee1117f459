// What register_jobs takes.
import { seconds } from "./duration.js";
import { uniqueOf, type Handler, type Job } from "./job.js";
import { snake } from "./names.js";
import type { Schedule } from "./schedule.js";
import type { StandardSchemaV1 } from "./schema.js";

/** A queue, with the options of `mill.queue` (docs/engine.md) in camel case. What is left out keeps its value. */
export interface QueueOptions {
  queue: string;
  /** `function` (with `function` or `url`), `worker`, or `external`: workers of your own that claim by themselves. */
  servedBy?: "function" | "worker" | "external";
  /** The name of a function below `functions.base_url`. */
  function?: string;
  /** The address of a function anywhere else. */
  url?: string;
  description?: string;
  maxParallel?: number;
  maxAttempts?: number;
  leaseSeconds?: number;
  invocationSeconds?: number;
  [option: string]: unknown;
}

export interface Definition {
  queues: Record<string, unknown>[];
  kinds: Record<string, unknown>[];
  schedules?: Record<string, unknown>[];
}

export function definitionOf(jobs: readonly (Job<string, any, any> | Handler)[], queues: readonly QueueOptions[] = [], schedules: readonly Schedule[] = []): Definition {
  return {
    queues: queues.map(snake),
    kinds: jobs.map((one) => ("job" in one ? one.job : one)).map(({ kind, queue, schema, options: { description, maxAttempts, openToUsers, unique, jsonSchema = jsonSchemaOf(schema) } }) =>
      snake({ kind, queue, description, maxAttempts, openToUsers, unique: uniqueOf(unique), schema: jsonSchema })),
    ...(schedules.length > 0 && { schedules: schedules.map(({ schedule, job: { kind }, options: { every, ...options } }) =>
      snake({ schedule, kind, ...options, everySeconds: every === undefined ? undefined : seconds(every) })) }),
  };
}

// Postgres checks these formats itself. Libraries add a pattern for each, which only says the same in a way that differs between regular expressions.
const FORMATS = ["date-time", "date", "uuid", "email", "uri"];

/** The JSON Schema that a library makes of its schema, or undefined when it makes none. */
function jsonSchemaOf(schema: StandardSchemaV1 | undefined): object | undefined {
  const json = schema?.["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  return json && JSON.parse(JSON.stringify(json, (_, value) => {
    if (!value || typeof value.pattern !== "string" || !FORMATS.includes(value.format)) return value;
    const { pattern: _pattern, ...rest } = value;
    return rest;
  }));
}

/** The definition with the function that serves the queues of its kinds, where none is named for a queue. */
export function servedBy({ queues, kinds, ...rest }: Definition, served: { function?: string; url?: string }): Definition {
  const others = [...new Set(kinds.map((kind) => kind["queue"]))].filter((queue) => !queues.some((one) => one["queue"] === queue));
  return { ...rest, kinds, queues: [...queues, ...others.map((queue) => snake({ queue, servedBy: "function", ...served }))] };
}

/** Warns of functions that have never answered Postgres and do not answer this process either: a name or an address that is wrong shows at once. With a fetch of its own, as in tests, nothing is asked. */
export async function warned<Answer extends { unanswered?: { address?: string; sentence: string }[] }>(answer: Answer, own?: unknown): Promise<Answer> {
  if (!own) await Promise.all((answer.unanswered ?? []).map(async ({ address, sentence }) => {
    // A function of ours answers a GET with 405. Any answer of the user's own code will do.
    const status = address && await fetch(address, { signal: AbortSignal.timeout(5000) }).then(({ status }) => status, () => 0);
    if (!status || status === 404 || status === 410 || status > 500) console.warn(sentence);
  }));
  return answer;
}
