// How an attempt ends. A handler returns its result or throws; the functions here throw what the library understands.
import { seconds, type Duration } from "./duration.js";
import { GristmillError, InvalidPayload } from "./errors.js";

/** What a failed attempt leaves in the job. */
export interface JobError {
  type: string;
  message: string;
  retryable?: boolean;
  http_status?: number;
  provider?: string;
  field?: string;
  stack?: string;
}

/** A log line of a job. */
export interface LogLine {
  at?: string;
  level: "debug" | "info" | "warn" | "error";
  message: string;
  data?: object;
}

/** One outcome of settle_jobs. */
export interface Outcome {
  id: string;
  attempt: number;
  outcome: "completed" | "failed" | "snoozed" | "released" | "dead";
  result?: unknown;
  delay_seconds?: number;
  error?: JobError;
  logs?: LogLine[];
}

export type Ending = Omit<Outcome, "id" | "attempt" | "logs">;

/** Thrown by snooze(), dead() and retry(). Let it pass through a catch of your own: `if (error instanceof Signal) throw error`. */
export class Signal extends Error {
  constructor(readonly ending: Ending, message: string, override name: string) {
    super(message);
  }
}

const errorFor = (type: string, reason: string | Error, retryable: boolean): JobError => ({ ...fieldsOf(reason), type, retryable });

/** Ends the attempt without using it up. The job is tried again after `delay` or at a time. */
export function snooze(delay: Duration | Date, reason = "snoozed"): never {
  throw new Signal({ outcome: "snoozed", delay_seconds: after(delay), error: errorFor("snoozed", reason, true) }, reason, "Snooze");
}

/** Makes the job a dead letter: no further attempt can help. */
export function dead(reason: string | Error, { type = "refused" }: { type?: string } = {}): never {
  throw new Signal({ outcome: "dead", error: errorFor(type, reason, false) }, messageOf(reason), "Dead");
}

/** Fails the attempt. With `in` the next attempt comes after that time instead of after the backoff. */
export function retry(reason: string | Error, { in: delay, type = "error" }: { in?: Duration | Date; type?: string } = {}): never {
  throw new Signal({ outcome: "failed", ...(delay !== undefined && { delay_seconds: after(delay) }), error: errorFor(type, reason, true) }, messageOf(reason), "Retry");
}

const after = (delay: Duration | Date) => Math.max(0, delay instanceof Date ? (delay.getTime() - Date.now()) / 1000 : seconds(delay));

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

// Postgres takes no NUL in a text. It cuts what is longer than 16 KiB; most of that need not travel.
const text = (value: string, most: number) => value.replaceAll("\0", "").slice(0, most);

function fieldsOf(error: unknown): JobError {
  const { type, name, stack, retryable, status, http_status = status, provider } = (error ?? {}) as Record<string, unknown>;
  return {
    type: typeof type === "string" ? type : error instanceof Error && name !== "Error" ? String(name) : "error",
    message: text(messageOf(error), 4000),
    retryable: retryable !== false,
    ...(typeof http_status === "number" && http_status > 0 && { http_status }),
    ...(typeof provider === "string" && { provider }),
    ...(typeof stack === "string" && { stack: text(stack, 4000) }),
  };
}

/** The ending for what a handler has thrown. */
export function endingOf(error: unknown): Ending {
  if (error instanceof Signal) return error.ending;
  const fields = fieldsOf(error);
  // Errors of our own calls are retried like any other: what Postgres refuses today, a new release may have mended.
  return { outcome: "failed", error: error instanceof GristmillError ? { ...fields, type: error.code, retryable: true } : fields };
}

/** The ending for a payload that does not fit. */
export const invalidPayload = ({ message, field }: InvalidPayload): Ending => ({ outcome: "dead", error: { type: "invalid_payload", message, retryable: false, ...(field && { field }) } });
