// Gristmill for TypeScript: define jobs, enqueue them, serve them in an edge function or work on them in a long-lived process.
export type { Context, Failed, Log, RunningJob } from "./attempt.js";
export type { Definition, QueueOptions } from "./definition.js";
export { seconds, type Duration } from "./duration.js";
export { GristmillError, InvalidPayload, LostLease, QueueFull, UnknownKind } from "./errors.js";
export { defineJob, handle, type EnqueueOptions, type Handler, type Job, type JobOptions, type NewJob, type Unique } from "./job.js";
export { gristmill, type Enqueued, type JobState, type KeptLine, type Mill, type Registered, type RegisterOptions, type Rpcs } from "./mill.js";
export { dead, retry, Signal, snooze, type JobError, type LogLine, type Outcome } from "./outcome.js";
export type { Options } from "./rpc.js";
export { defineSchedule, type Schedule } from "./schedule.js";
export type { StandardSchemaV1 } from "./schema.js";
export type { Served, ServeOptions } from "./serve.js";
export type { WorkOptions } from "./work.js";
