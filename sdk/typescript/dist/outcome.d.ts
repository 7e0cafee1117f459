import { type Duration } from "./duration.js";
import { InvalidPayload } from "./errors.js";
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
export declare class Signal extends Error {
    readonly ending: Ending;
    name: string;
    constructor(ending: Ending, message: string, name: string);
}
/** Ends the attempt without using it up. The job is tried again after `delay` or at a time. */
export declare function snooze(delay: Duration | Date, reason?: string): never;
/** Makes the job a dead letter: no further attempt can help. */
export declare function dead(reason: string | Error, { type }?: {
    type?: string;
}): never;
/** Fails the attempt. With `in` the next attempt comes after that time instead of after the backoff. */
export declare function retry(reason: string | Error, { in: delay, type }?: {
    in?: Duration | Date;
    type?: string;
}): never;
/** The ending for what a handler has thrown. */
export declare function endingOf(error: unknown): Ending;
export declare function invalidPayload(error: InvalidPayload): Ending;
