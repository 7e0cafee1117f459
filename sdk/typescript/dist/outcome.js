// How an attempt ends. A handler returns its result or throws; the functions here throw what the library understands.
import { seconds } from "./duration.js";
import { GristmillError } from "./errors.js";
/** Thrown by snooze(), dead() and retry(). Let it pass through a catch of your own: `if (error instanceof Signal) throw error`. */
export class Signal extends Error {
    ending;
    name;
    constructor(ending, message, name) {
        super(message);
        this.ending = ending;
        this.name = name;
    }
}
const errorFor = (type, reason, retryable) => ({ ...fieldsOf(reason), type, retryable });
/** Ends the attempt without using it up. The job is tried again after `delay` or at a time. */
export function snooze(delay, reason = "snoozed") {
    throw new Signal({ outcome: "snoozed", delay_seconds: after(delay), error: errorFor("snoozed", reason, true) }, reason, "Snooze");
}
/** Makes the job a dead letter: no further attempt can help. */
export function dead(reason, { type = "refused" } = {}) {
    throw new Signal({ outcome: "dead", error: errorFor(type, reason, false) }, messageOf(reason), "Dead");
}
/** Fails the attempt. With `in` the next attempt comes after that time instead of after the backoff. */
export function retry(reason, { in: delay, type = "error" } = {}) {
    throw new Signal({ outcome: "failed", ...(delay !== undefined && { delay_seconds: after(delay) }), error: errorFor(type, reason, true) }, messageOf(reason), "Retry");
}
const after = (delay) => Math.max(0, delay instanceof Date ? (delay.getTime() - Date.now()) / 1000 : seconds(delay));
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
// Postgres takes no NUL in a text. It cuts what is longer than 16 KiB; most of that need not travel.
const text = (value, most) => value.replaceAll("\0", "").slice(0, most);
function fieldsOf(error) {
    const { type, name, stack, retryable, status, http_status = status, provider } = (error ?? {});
    return {
        type: typeof type === "string" ? type : error instanceof Error && name !== "Error" ? String(name) : "error",
        message: text(messageOf(error), 6000),
        retryable: retryable !== false,
        ...(typeof http_status === "number" && http_status > 0 && { http_status }),
        ...(typeof provider === "string" && { provider }),
        ...(typeof stack === "string" && { stack: text(stack, 4000) }),
    };
}
/** The ending for what a handler has thrown. */
export function endingOf(error) {
    if (error instanceof Signal)
        return error.ending;
    // Errors of our own calls are retried like any other: what Postgres refuses today, a new release may have mended.
    const fields = { ...fieldsOf(error), ...(error instanceof GristmillError && { type: error.code, retryable: true }) };
    return { outcome: "failed", error: fields };
}
export function invalidPayload(error) {
    return { outcome: "dead", error: { type: "invalid_payload", message: error.message, retryable: false, ...(error.field && { field: error.field }) } };
}
