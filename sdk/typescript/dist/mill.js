import { seconds } from "./duration.js";
import { QueueFull } from "./errors.js";
import { uniqueOf } from "./job.js";
import { camel, rename, snake } from "./names.js";
import { Rpc } from "./rpc.js";
import { validated } from "./schema.js";
import { serve } from "./serve.js";
const ENDED = ["completed", "failed", "cancelled"];
/** A client of Gristmill: enqueues jobs, serves them in a function, or works on them in a long-lived process. */
export class Mill {
    #options;
    #rpc;
    #correlationId;
    #workers;
    /** Use gristmill(). */
    constructor(options, traceparent, correlationId, workers = new Set()) {
        this.#options = options;
        this.#rpc = new Rpc(options, traceparent);
        this.#correlationId = correlationId ?? undefined;
        this.#workers = workers;
    }
    /** Enqueues one job. A queue at its depth limit throws QueueFull. */
    async enqueue(job, payload, options = {}) {
        const { idempotencyKey, ...rest } = options;
        const [answer] = await this.#enqueue([await this.#row(job.with(payload, rest))], idempotencyKey, rest.dedupeKey !== undefined);
        if (answer.status === "throttled")
            throw new QueueFull("GM006", `the queue of "${job.kind}" is full`, { status: 429, retryable: true });
        return answer;
    }
    /** Enqueues many jobs of one kind, all or none. The ids are in the order of the payloads; null for one that the queue had no space for. */
    async enqueueMany(job, payloads, options = {}) {
        const { idempotencyKey, ...rest } = options;
        if (Object.keys(rest).length > 0 || this.#rpc.traceparent) {
            const rows = await Promise.all(payloads.map((payload) => this.#row(job.with(payload, rest))));
            return (await this.#enqueue(rows, idempotencyKey)).map(({ id }) => id);
        }
        for (const payload of payloads)
            await validated(job.schema, job.kind, payload);
        return this.#once("enqueue_many", { p_kind: job.kind, p_payloads: payloads }, idempotencyKey);
    }
    /** Enqueues jobs of several kinds, all or none: `enqueueAll([a.with(payload), b.with(payload, options)])`. */
    async enqueueAll(jobs, { idempotencyKey } = {}) {
        return this.#enqueue(await Promise.all(jobs.map((job) => this.#row(job))), idempotencyKey, jobs.every(({ options }) => options.dedupeKey !== undefined));
    }
    async #row({ job, payload, options: { in: delay, runAt, unique, ...options } }) {
        await validated(job.schema, job.kind, payload);
        const now = this.#options.now ?? Date.now;
        return snake({
            correlationId: this.#correlationId, traceparent: this.#rpc.traceparent, ...options, kind: job.kind, payload,
            runAt: delay === undefined ? runAt : new Date(now() + seconds(delay) * 1000), unique: uniqueOf(unique),
        });
    }
    async #enqueue(rows, key, repeatable) {
        let answers;
        if (this.#options.token) {
            // Users have submit_job, one job at a time.
            answers = [];
            for (const row of rows)
                answers.push(await this.#once("submit_job", rename(row, /^/, () => "p_"), key, repeatable));
        }
        else {
            answers = (await this.#once("enqueue_jobs", { p_jobs: rows }, key, repeatable)).map(({ id, status }) => ({ id, status }));
        }
        for (const wake of this.#workers)
            wake();
        return answers;
    }
    // What does the same when it is called twice.
    #again(name, args) {
        return this.#rpc.call(name, args, { repeatable: true });
    }
    async #once(name, args, key, repeatable = false) {
        if (key === undefined)
            return this.#rpc.call(name, args, { repeatable });
        return (await this.#again("call_once", { p_key: key, p_function: name, p_arguments: args })).answer;
    }
    /** A job as it is now, or null when there is none, or not yours. */
    async get(id) {
        const row = await this.#again("get_job", { p_id: id });
        return row && camel(row);
    }
    /** The job once it has ended: completed, failed for good, or cancelled. It is looked at every `interval` milliseconds. */
    async wait(id, { signal, interval = 100 } = {}) {
        for (;;) {
            signal?.throwIfAborted();
            const job = await this.get(id);
            if (!job)
                throw new TypeError(`there is no job ${id}`);
            if (ENDED.includes(job.state))
                return job;
            await new Promise((resolve) => setTimeout(resolve, interval));
        }
    }
    /** The log of a job, from line `after` on. */
    logs(id, after = 0) {
        return this.#again("get_job_logs", { p_id: id, p_after: after });
    }
    /** Cancels jobs; a running one is told by its signal. */
    cancel(...ids) {
        return this.#again("cancel_jobs", { p_ids: ids });
    }
    /** Sends dead letters back to be tried again. */
    retry(...ids) {
        return this.#again("retry_jobs", { p_ids: ids });
    }
    /** Puts dead letters away. */
    discard(...ids) {
        return this.#again("discard_jobs", { p_ids: ids });
    }
    /** Creates and updates queues and kinds from their definitions. It may be called at every start. What an operator has changed is kept. */
    async register(what, { force = false, ...served } = {}) {
        const { definitionOf, servedBy } = await import("./definition.js");
        const definition = "kinds" in what ? what : "jobs" in what ? definitionOf(what.jobs, what.queues) : definitionOf(what);
        return this.#again("register_jobs", { p_definition: served.url || served.function ? servedBy(definition, served) : definition, p_force: force });
    }
    /** A function that Postgres invokes, for Deno.serve() or for `fetch` of a Cloudflare Worker. */
    serve(handlers, options = {}) {
        const connect = (env, traceparent, correlationId) => {
            const mill = env === undefined && !traceparent ? this : new Mill({ ...this.#options, env: env ?? this.#options.env }, traceparent, correlationId, this.#workers);
            return { mill, rpc: mill.#rpc };
        };
        return serve(handlers, { ...options, env: options.env ?? this.#options.env }, connect);
    }
    /** Claims jobs and runs them until the signal, SIGINT or SIGTERM; then running jobs have 25 s to end. */
    async work(handlers, options = {}) {
        // Loaded when it is needed: an edge function does without it.
        const { work } = await import("./work.js");
        const inside = (traceparent, correlationId) => new Mill(this.#options, traceparent, correlationId, this.#workers);
        return work(this.#rpc, handlers, options, inside, this.#workers);
    }
    /** Calls any RPC. It is repeated only when Postgres says that it did nothing; with `repeatable` also when there was no answer. */
    rpc(name, args, options = {}) {
        return this.#rpc.call(name, args, options);
    }
}
/** A client. Without options it takes SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY (or GRISTMILL_URL and GRISTMILL_SERVICE_KEY) at its first call. */
export function gristmill(options = {}) {
    return new Mill(options);
}
