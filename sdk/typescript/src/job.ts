import { seconds, type Duration } from "./duration.js";
import type { Context } from "./attempt.js";
import type { InputOf, OutputOf, StandardSchemaV1 } from "./schema.js";

/** Fields of the payload, with dots for inner ones. */
type FieldOf<Input> = (keyof Input & string) | `${keyof Input & string}.${string}`;

export interface Unique<Field extends string = string> {
  /** The fields that make two jobs equal. An empty list means the whole payload. */
  by: readonly Field[];
  /** How long after the first job was enqueued another one is a duplicate; at most a year. */
  within: Duration;
}

export interface JobOptions<Input = any> {
  /** The kind by default. */
  queue?: string;
  /** For people. */
  description?: string;
  maxAttempts?: number;
  /** Signed-in users may enqueue it, for themselves. */
  openToUsers?: boolean;
  unique?: Unique<FieldOf<Input>> | false;
  /** How long an attempt may take. In an invoked function it ends 5 s before the invocation in any case. */
  timeout?: Duration;
  /** What Postgres checks payloads against. By default it is made from `schema`, where its library can do so. */
  jsonSchema?: object;
}

/** A kind of job: its name, its queue, and what its payload looks like. */
export interface Job<Kind extends string = string, Input = any, Payload = Input> {
  readonly kind: Kind;
  readonly queue: string;
  readonly schema: StandardSchemaV1 | undefined;
  readonly options: JobOptions;
  /** The same job with a type for its payload, where there is no schema. */
  payload<Of extends object>(): Job<Kind, Of>;
  /** One job for enqueueAll(). */
  with(payload: Input, options?: EnqueueOptions): NewJob;
  /** Only for the type checker. */
  readonly "~types"?: { input: Input; payload: Payload };
}

export interface EnqueueOptions {
  /** Not before this time. */
  runAt?: Date | string;
  /** Not before this time has passed, by the clock of this machine. */
  in?: Duration;
  /** −100 to 100, higher first, 5 by default. */
  priority?: number;
  /** While a job with this key waits or runs in the queue, another is a duplicate. */
  dedupeKey?: string;
  /** Whose turn it is where the queue is fair or capped by group. */
  groupKey?: string;
  /** The user whose job it is. */
  owner?: string;
  /** For people and logs. */
  name?: string;
  category?: string;
  maxAttempts?: number;
  unique?: Unique | false;
  correlationId?: string;
  traceparent?: string;
}

export interface NewJob {
  readonly job: Job<string, any, any>;
  readonly payload: unknown;
  readonly options: EnqueueOptions;
}

/** A job and the code that runs it. */
export interface Handler<Kind extends string = string> {
  readonly job: Job<Kind, any, any>;
  readonly run: (context: Context<any>) => unknown;
}

/** Defines a kind of job, with a schema of zod, valibot, arktype or another library that keeps to Standard Schema. */
export function defineJob<const Kind extends string, Schema extends StandardSchemaV1>(
  kind: Kind, options: JobOptions<InputOf<Schema>> & { schema: Schema }): Job<Kind, InputOf<Schema>, OutputOf<Schema>>;
/** Defines a kind of job. Give its payload a type with `.payload<{ to: string }>()`. */
export function defineJob<const Kind extends string>(kind: Kind, options?: JobOptions<Record<string, unknown>>): Job<Kind, Record<string, unknown>>;
export function defineJob(kind: string, { schema, ...options }: JobOptions & { schema?: StandardSchemaV1 } = {}): Job {
  const job: Job = {
    kind, queue: options.queue ?? kind, schema, options,
    payload: () => job,
    with: (payload: unknown, options: EnqueueOptions = {}) => ({ job, payload, options }),
  };
  return job;
}

/** The code that runs a job. What it returns is the job's result. */
export function handle<Kind extends string, Payload>(job: Job<Kind, any, Payload>, run: (context: Context<Payload>) => unknown): Handler<Kind> {
  return { job, run };
}

export type Handlers = ReadonlyMap<string, Handler>;

export function byKind(handlers: readonly Handler[]): Handlers {
  const map = new Map(handlers.map((handler) => [handler.job.kind, handler]));
  if (map.size < handlers.length) throw new TypeError("two handlers of one kind");
  return map;
}

export const uniqueOf = (unique: Unique | false | undefined) => unique && { by: unique.by, within_seconds: seconds(unique.within) };
