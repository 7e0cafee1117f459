export { seconds } from "./duration.js";
export { GristmillError, InvalidPayload, LostLease, QueueFull, UnknownKind } from "./errors.js";
export { defineJob, handle } from "./job.js";
export { gristmill } from "./mill.js";
export { dead, retry, Signal, snooze } from "./outcome.js";
