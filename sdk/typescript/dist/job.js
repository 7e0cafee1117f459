import { seconds } from "./duration.js";
export function defineJob(kind, { schema, ...options } = {}) {
    const job = {
        kind, queue: options.queue ?? kind, schema, options,
        payload: () => job,
        with: (payload, options = {}) => ({ job, payload, options }),
    };
    return job;
}
/** The code that runs a job. What it returns is the job's result. */
export function handle(job, run) {
    return { job, run };
}
export function byKind(handlers) {
    const map = new Map(handlers.map((handler) => [handler.job.kind, handler]));
    if (map.size < handlers.length)
        throw new TypeError(`two handlers are given for one kind: ${handlers.map(({ job }) => job.kind).join(", ")}`);
    return map;
}
export const uniqueOf = (unique) => unique && { by: unique.by, within_seconds: seconds(unique.within) };
