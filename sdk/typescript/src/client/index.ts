// gristmill/client: what a page, an app or a script does for a user who has signed in.
import type { RpcAnswer, RpcArguments, RpcName } from "../rpc-types.js";
import { Exports, Workflows } from "./applications.js";
import { type ClientOptions, Http, uuid } from "./http.js";
import { type ManagerOptions, Subscriptions } from "./subscriptions.js";
import { Uploads } from "./uploads.js";
import { type Snapshot, type Watched, type WatchOptions, watch } from "./watch.js";

export { GristmillError, QueueFull, UnknownKind } from "../errors.js";
export type { Json, RpcAnswer, RpcArguments, RpcName, Rpcs } from "../rpc-types.js";
export type { Artifact, Export, ExportFile, ExportOrder, ExportSettings, Exports, Workflow, Workflows } from "./applications.js";
export type { ClientOptions } from "./http.js";
export type { Change, ManagerOptions, SubscriptionOptions, Subscriptions } from "./subscriptions.js";
export type { Box, Document, DocumentStatus, Doubt, Fact, Review, Uploaded, UploadOptions, UploadProgress, Uploads } from "./uploads.js";
export type { Failure, Snapshot, Watched, WatchOptions } from "./watch.js";

/** A job that defineJob() made, or anything else with a kind. */
interface JobLike<Input> {
  readonly kind: string;
  readonly "~types"?: { input: Input } | undefined;
}

export interface EnqueueOptions {
  /** For people. */
  name?: string;
  /** −100 to 100, higher first, 5 by default. */
  priority?: number;
  /** Not before this time. */
  runAt?: Date | string;
  /** While a job with this key waits or runs, another is a duplicate. */
  dedupeKey?: string;
  /** Whose turn it is where the queue is fair or capped by group. */
  groupKey?: string;
  /** One key is one job, however often it is sent. Made for each call by default. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
}

/** A job as its owner sees it. */
export interface JobRow<R = unknown> {
  id: string;
  queue: string;
  kind: string;
  name: string | null;
  state: "pending" | "deferred" | "retrying" | "processing" | "completed" | "cancelled" | "failed";
  priority: number;
  payload: Record<string, unknown>;
  progress: number;
  attempt: number;
  max_attempts: number;
  result: R | null;
  error: Record<string, unknown> | null;
  run_at: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface Client {
  /** Submits a job for the user. Its kind must be open to users. */
  enqueue<Input extends object>(job: JobLike<Input> | string, payload: Input, options?: EnqueueOptions): Promise<{ id: string; status: "new" | "duplicate" }>;
  /** One job of the user's. */
  get<R = unknown>(id: string, options?: { signal?: AbortSignal }): Promise<JobRow<R>>;
  /** Snapshots of a job until it has ended, or of a document, an export or a workflow. */
  watch<R = unknown>(id: string, options?: WatchOptions & { of?: "job" }): AsyncGenerator<Snapshot<R, JobRow<R>>, void, void>;
  watch(id: string, options: WatchOptions & { of: Watched }): AsyncGenerator<Snapshot, void, void>;
  /** Calls a function of Postgres with the user's rights. It is not repeated. */
  rpc<N extends RpcName>(name: N, args: RpcArguments<N>, options?: { signal?: AbortSignal }): Promise<RpcAnswer<N>>;
  readonly uploads: Uploads;
  readonly exports: Exports;
  readonly workflows: Workflows;
  readonly subscriptions: Subscriptions;
}

/** A client for one user. It holds no connection and no timer until it is asked to watch something. */
export function client(options: ClientOptions & { subscriptions?: ManagerOptions }): Client {
  const http = new Http(options);
  return {
    enqueue(job, payload, { name, priority, runAt, dedupeKey, groupKey, idempotencyKey = uuid(), signal } = {}) {
      const kind = typeof job === "string" ? job : job.kind;
      const json = { kind, payload, name, priority, run_at: runAt instanceof Date ? runAt.toISOString() : runAt, dedupe_key: dedupeKey, group_key: groupKey };
      return http.call("enqueue", { method: "POST", json, idempotencyKey, signal });
    },
    get: (id, { signal } = {}) => http.call(`enqueue/${encodeURIComponent(id)}`, { signal }),
    watch: (id: string, { of = "job", ...options }: WatchOptions & { of?: Watched } = {}) => watch(http, of, id, options) as AsyncGenerator<any, void, void>,
    rpc: (name, args, options) => http.rpc(name, args, options),
    uploads: new Uploads(http),
    exports: new Exports(http),
    workflows: new Workflows(http),
    subscriptions: new Subscriptions(http, options.subscriptions),
  };
}
