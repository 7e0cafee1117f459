// A job as enqueue_jobs and mill.enqueue take it.
import { seconds } from "./duration.js";
import { uniqueOf, type NewJob } from "./job.js";
import { snake } from "./names.js";
import { validated } from "./schema.js";

/** Throws InvalidPayload where the payload does not fit the schema of its job. */
export async function rowOf({ job: { kind, schema }, payload, options: { in: delay, ...options } }: NewJob, now: () => number = Date.now, around?: object): Promise<Record<string, unknown>> {
  await validated(schema, kind, payload);
  return snake({ ...around, ...options, kind, payload, unique: uniqueOf(options.unique), ...(delay !== undefined && { runAt: new Date(now() + seconds(delay) * 1000) }) });
}
