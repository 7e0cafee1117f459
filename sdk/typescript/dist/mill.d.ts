import type { LogLine, JobError } from "./outcome.js";
import type { Definition, QueueOptions } from "./definition.js";
import { type EnqueueOptions, type Handler, type Job, type NewJob } from "./job.js";
import { type Options } from "./rpc.js";
import { type Covered, type Served, type ServeOptions } from "./serve.js";
import type { WorkOptions } from "./work.js";
/** What became of a job that was enqueued. */
export interface Enqueued {
    id: string;
    /** `duplicate`: the id is that of the job that was there. */
    status: "new" | "duplicate";
}
/** A job as it is now. */
export interface JobState<Result = unknown> {
    id: string;
    queue: string;
    kind: string;
    name: string | null;
    state: "pending" | "deferred" | "running" | "completed" | "failed" | "cancelled" | (string & {});
    priority: number;
    payload: unknown;
    progress: number | null;
    attempt: number;
    maxAttempts: number;
    result: Result | null;
    error: JobError | null;
    correlationId: string | null;
    runAt: string | null;
    createdAt: string;
    startedAt: string | null;
    finishedAt: string | null;
}
/** What register_jobs answers. */
export interface Registered {
    queues: {
        queue: string;
        status: "created" | "updated" | "unchanged";
    }[];
    kinds: {
        kind: string;
        status: "created" | "updated" | "unchanged";
    }[];
    /** What an operator has changed, and what was asked for. */
    kept: {
        queue?: string;
        kind?: string;
        field: string;
        value: unknown;
        asked: unknown;
    }[];
}
export interface KeptLine extends LogLine {
    n: number;
    at: string;
    attempt: number;
}
/** The RPCs by name. Declare yours by module augmentation: `declare module "gristmill" { interface Rpcs { my_rpc: { args: …; result: … } } }`. */
export interface Rpcs {
}
export type RegisterOptions = {
    /** Also where an operator has changed a value. */
    force?: boolean;
    /** The function that serves the queues of these jobs: its name below `functions.base_url` … */
    function?: string;
    /** … or its address. */
    url?: string;
};
/** A client of Gristmill: enqueues jobs, serves them in a function, or works on them in a long-lived process. */
export declare class Mill {
    #private;
    /** Use gristmill(). */
    constructor(options: Options, traceparent?: string, correlationId?: string | null, workers?: Set<() => void>);
    /** Enqueues one job. A queue at its depth limit throws QueueFull. */
    enqueue<Input>(job: Job<string, Input, any>, payload: NoInfer<Input>, options?: EnqueueOptions & {
        /** The same call under the same key, within 24 hours, creates nothing and gets the first answer. */
        idempotencyKey?: string;
    }): Promise<Enqueued>;
    /** Enqueues many jobs of one kind, all or none. The ids are in the order of the payloads; null for one that the queue had no space for. */
    enqueueMany<Input>(job: Job<string, Input, any>, payloads: readonly NoInfer<Input>[], options?: EnqueueOptions & {
        idempotencyKey?: string;
    }): Promise<(string | null)[]>;
    /** Enqueues jobs of several kinds, all or none: `enqueueAll([a.with(payload), b.with(payload, options)])`. */
    enqueueAll(jobs: readonly NewJob[], { idempotencyKey }?: {
        idempotencyKey?: string;
    }): Promise<(Enqueued | {
        id: null;
        status: "throttled";
    })[]>;
    /** A job as it is now, or null when there is none, or not yours. */
    get<Result = unknown>(id: string): Promise<JobState<Result> | null>;
    /** The job once it has ended: completed, failed for good, or cancelled. It is looked at every `interval` milliseconds. */
    wait<Result = unknown>(id: string, { signal, interval }?: {
        signal?: AbortSignal;
        interval?: number;
    }): Promise<JobState<Result>>;
    /** The log of a job, from line `after` on. */
    logs(id: string, after?: number): Promise<KeptLine[]>;
    /** Cancels jobs; a running one is told by its signal. */
    cancel(...ids: string[]): Promise<{
        id: string;
        status: "cancelled" | "requested" | "not_live";
    }[]>;
    /** Sends dead letters back to be tried again. */
    retry(...ids: string[]): Promise<{
        id: string;
        status: "retried" | "duplicate" | "unknown_kind" | "not_dead";
    }[]>;
    /** Puts dead letters away. */
    discard(...ids: string[]): Promise<{
        id: string;
        status: string;
    }[]>;
    /** Creates and updates queues and kinds from their definitions. It may be called at every start. What an operator has changed is kept. */
    register(what: readonly (Job<string, any, any> | Handler)[] | {
        queues?: readonly QueueOptions[];
        jobs: readonly (Job<string, any, any> | Handler)[];
    } | Definition, { force, ...served }?: RegisterOptions): Promise<Registered>;
    /** A function that Postgres invokes, for Deno.serve() or for `fetch` of a Cloudflare Worker. */
    serve<const Given extends readonly Handler[], const Jobs extends readonly Job[] = []>(handlers: Given, options?: ServeOptions & {
        /** All of these must have a handler; one without does not compile. */
        jobs?: Covered<Jobs, Given> & Jobs;
    }): Served;
    /** Claims jobs and runs them until the signal, SIGINT or SIGTERM; then running jobs have 25 s to end. */
    work<const Given extends readonly Handler[], const Jobs extends readonly Job[] = []>(handlers: Given, options?: WorkOptions & {
        jobs?: Covered<Jobs, Given> & Jobs;
    }): Promise<void>;
    /** Calls any RPC. It is repeated only when Postgres says that it did nothing; with `repeatable` also when there was no answer. */
    rpc<Name extends keyof Rpcs | (string & {})>(name: Name, args?: Name extends keyof Rpcs ? Rpcs[Name] extends {
        args: infer Args;
    } ? Args : object : object, options?: {
        repeatable?: boolean;
        signal?: AbortSignal;
    }): Promise<Name extends keyof Rpcs ? Rpcs[Name] extends {
        result: infer Result;
    } ? Result : unknown : any>;
}
/** A client. Without options it takes SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY (or GRISTMILL_URL and GRISTMILL_SERVICE_KEY) at its first call. */
export declare function gristmill(options?: Options): Mill;
