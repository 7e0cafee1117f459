import type { LogLine, JobError } from "./outcome.js";
import type { Definition, QueueOptions } from "./definition.js";
import { QueueFull } from "./errors.js";
import type { EnqueueOptions, Handler, Job, NewJob } from "./job.js";
import { camel, rename } from "./names.js";
import { rowOf } from "./row.js";
import { Rpc, type Options } from "./rpc.js";
import type { Rpcs as KnownRpcs } from "./rpc-types.js";
import type { Schedule } from "./schedule.js";
import { serve, type Covered, type Served, type ServeOptions } from "./serve.js";
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
  queues: { queue: string; status: "created" | "updated" | "unchanged" }[];
  kinds: { kind: string; status: "created" | "updated" | "unchanged" }[];
  schedules?: { schedule: string; status: "created" | "updated" | "unchanged" }[];
  /** Queues whose function has never answered Postgres. */
  unanswered?: { queue: string; function?: string; url?: string; address?: string; failure?: string; sentence: string }[];
  /** What an operator has changed, and what was asked for. */
  kept: { queue?: string; kind?: string; schedule?: string; field: string; value: unknown; asked: unknown }[];
}

export interface KeptLine extends LogLine {
  n: number;
  at: string;
  attempt: number;
}

/** The RPCs by name: those of a full installation. Declare yours by module augmentation: `declare module "gristmill" { interface Rpcs { my_rpc: { args: …; result: … } } }`. */
export interface Rpcs extends KnownRpcs {}

export type RegisterOptions = {
  /** Also where an operator has changed a value. */
  force?: boolean;
  /** The function that serves the queues of these jobs: its name below `functions.base_url` … */
  function?: string;
  /** … or its address. */
  url?: string;
};

/** A client of Gristmill: enqueues jobs, serves them in a function, or works on them in a long-lived process. */
export class Mill {
  readonly #options: Options;
  readonly #rpc: Rpc;
  readonly #correlationId: string | undefined;
  readonly #workers: Set<() => void>;

  /** Use gristmill(). */
  constructor(options: Options, traceparent?: string, correlationId?: string | null, workers = new Set<() => void>()) {
    this.#options = options;
    this.#rpc = new Rpc(options, traceparent);
    this.#correlationId = correlationId ?? undefined;
    this.#workers = workers;
  }

  /** Enqueues one job. A queue at its depth limit throws QueueFull. */
  async enqueue<Input>(job: Job<string, Input, any>, payload: NoInfer<Input>, options: EnqueueOptions & {
    /** The same call under the same key, within 24 hours, creates nothing and gets the first answer. */
    idempotencyKey?: string;
  } = {}): Promise<Enqueued> {
    const { idempotencyKey, ...rest } = options;
    const [answer] = await this.#enqueue([job.with(payload, rest)], idempotencyKey);
    if (!answer!.id) throw new QueueFull("GM006", `the queue of "${job.kind}" is full`, { status: 429, retryable: true });
    return answer as Enqueued;
  }

  /** Enqueues many jobs of one kind, all or none. The ids are in the order of the payloads; null for one that the queue had no space for. */
  async enqueueMany<Input>(job: Job<string, Input, any>, payloads: readonly NoInfer<Input>[], options: EnqueueOptions & { idempotencyKey?: string } = {}): Promise<(string | null)[]> {
    const { idempotencyKey, ...rest } = options;
    const jobs = payloads.map((payload) => job.with(payload, rest));
    if (Object.keys(rest).length > 0 || this.#rpc.traceparent || this.#options.token) return (await this.#enqueue(jobs, idempotencyKey)).map(({ id }) => id);
    await this.#rows(jobs);
    return this.#once("enqueue_many", { p_kind: job.kind, p_payloads: payloads }, idempotencyKey);
  }

  /** Enqueues jobs of several kinds, all or none: `enqueueAll([a.with(payload), b.with(payload, options)])`. */
  enqueueAll(jobs: readonly NewJob[], { idempotencyKey }: { idempotencyKey?: string } = {}): Promise<(Enqueued | { id: null; status: "throttled" })[]> {
    return this.#enqueue(jobs, idempotencyKey);
  }

  #rows(jobs: readonly NewJob[]): Promise<Record<string, unknown>[]> {
    return Promise.all(jobs.map((job) => rowOf(job, this.#options.now, { correlationId: this.#correlationId, traceparent: this.#rpc.traceparent })));
  }

  async #enqueue(jobs: readonly NewJob[], key?: string): Promise<(Enqueued | { id: null; status: "throttled" })[]> {
    const rows = await this.#rows(jobs);
    const repeatable = jobs.every(({ options }) => options.dedupeKey);
    const answers: any[] = [];
    if (this.#options.token) {
      // Users have submit_job, one job at a time.
      for (const row of rows) answers.push(await this.#once("submit_job", rename(row, /^/, () => "p_"), key, repeatable));
    } else {
      for (const { ordinal, id, status } of await this.#once("enqueue_jobs", { p_jobs: rows }, key, repeatable)) answers[ordinal] = { id, status };
    }
    for (const wake of this.#workers) wake();
    return answers;
  }

  // What does the same when it is called twice.
  #again(name: string, args: object): Promise<any> {
    return this.#rpc.call(name, args, { repeatable: true });
  }

  async #once(name: string, args: object, key?: string, repeatable = false): Promise<any> {
    if (key === undefined) return this.#rpc.call(name, args, { repeatable });
    return (await this.#again("call_once", { p_key: key, p_function: name, p_arguments: args })).answer;
  }

  /** A job as it is now, or null when there is none, or not yours. */
  async get<Result = unknown>(id: string): Promise<JobState<Result> | null> {
    const row = await this.#again("get_job", { p_id: id });
    return row && camel(row);
  }

  /** The job once it has ended: completed, failed for good, or cancelled. It is looked at every `interval` milliseconds. */
  async wait<Result = unknown>(id: string, options?: { signal?: AbortSignal; interval?: number }): Promise<JobState<Result>> {
    return (await import("./wait.js")).wait<Result>(this, id, options);
  }

  /** The log of a job, from line `after` on. */
  logs(id: string, after = 0): Promise<KeptLine[]> {
    return this.#again("get_job_logs", { p_id: id, p_after: after });
  }

  /** Cancels jobs; a running one is told by its signal. */
  cancel(...ids: string[]): Promise<{ id: string; status: "cancelled" | "requested" | "not_live" }[]> {
    return this.#again("cancel_jobs", { p_ids: ids });
  }

  /**
   * Sends an event to a job, which `waitFor` of its handler receives: at once, or when it comes to wait. `key`: another event with this key is a duplicate,
   * so that a call may be repeated.
   */
  async sendEvent(id: string, event: string, payload: unknown = null, { key }: { key?: string } = {}): Promise<"delivered" | "kept" | "duplicate" | "not_live"> {
    return (await this.#rpc.call("send_event", { p_job: id, p_event: event, p_payload: payload, p_key: key }, { repeatable: !!key })).status;
  }

  /** Sends dead letters back to be tried again. */
  retry(...ids: string[]): Promise<{ id: string; status: "retried" | "duplicate" | "unknown_kind" | "not_dead" }[]> {
    return this.#again("retry_jobs", { p_ids: ids });
  }

  /** Puts dead letters away. */
  discard(...ids: string[]): Promise<{ id: string; status: string }[]> {
    return this.#again("discard_jobs", { p_ids: ids });
  }

  /** Creates and updates queues, kinds and schedules from their definitions. It may be called at every start. What an operator has changed is kept. */
  async register(what: readonly (Job<string, any, any> | Handler)[] | { queues?: readonly QueueOptions[]; jobs: readonly (Job<string, any, any> | Handler)[]; schedules?: readonly Schedule[] } | Definition,
    { force = false, ...served }: RegisterOptions = {}): Promise<Registered> {
    const { definitionOf, servedBy, warned } = await import("./definition.js");
    const definition = "kinds" in what ? what : "jobs" in what ? definitionOf(what.jobs, what.queues, what.schedules) : definitionOf(what);
    return warned(await this.#again("register_jobs", { p_definition: served.url || served.function ? servedBy(definition, served) : definition, p_force: force }), this.#options.fetch);
  }

  /** A function that Postgres invokes, for Deno.serve() or for `fetch` of a Cloudflare Worker. */
  serve<const Given extends readonly Handler[], const Jobs extends readonly Job[] = []>(handlers: Given, options: ServeOptions & {
    /** All of these must have a handler; one without does not compile. */
    jobs?: Covered<Jobs, Given> & Jobs;
  } = {}): Served {
    const connect = (env: unknown, traceparent?: string, correlationId?: string | null) => {
      const mill = env === undefined && !traceparent ? this : new Mill({ ...this.#options, env: env ?? this.#options.env }, traceparent, correlationId, this.#workers);
      return { mill, rpc: mill.#rpc };
    };
    return serve(handlers, { ...options, env: options.env ?? this.#options.env }, connect);
  }

  /** Claims jobs and runs them until the signal, SIGINT or SIGTERM; then running jobs have 25 s to end. */
  async work<const Given extends readonly Handler[], const Jobs extends readonly Job[] = []>(handlers: Given, options: WorkOptions & { jobs?: Covered<Jobs, Given> & Jobs } = {}): Promise<void> {
    // Loaded when it is needed: an edge function does without it.
    const { work } = await import("./work.js");
    const inside = (traceparent: string, correlationId: string | null) => new Mill(this.#options, traceparent, correlationId, this.#workers);
    return work(this.#rpc, handlers, options, inside, this.#workers);
  }

  /** Calls any RPC. It is repeated only when Postgres says that it did nothing; with `repeatable` also when there was no answer. */
  rpc<Name extends keyof Rpcs | (string & {})>(name: Name, args?: Name extends keyof Rpcs ? Rpcs[Name] extends { args: infer Args } ? Args : object : object,
    options: { repeatable?: boolean; signal?: AbortSignal } = {}): Promise<Name extends keyof Rpcs ? Rpcs[Name] extends { result: infer Result } ? Result : unknown : any> {
    return this.#rpc.call(name, args, options);
  }
}

/** A client. Without options it takes SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY (or GRISTMILL_URL and GRISTMILL_SERVICE_KEY) at its first call. */
export function gristmill(options: Options = {}): Mill {
  return new Mill(options);
}
