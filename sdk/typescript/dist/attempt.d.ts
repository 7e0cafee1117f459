import { GristmillError } from "./errors.js";
import type { Handler } from "./job.js";
import type { Mill } from "./mill.js";
import { type Ending, type LogLine, type Outcome } from "./outcome.js";
/** A job as claim_jobs answers it. */
export interface Claimed {
    id: string;
    queue: string;
    kind: string;
    payload: unknown;
    attempt: number;
    max_attempts: number;
    lease_until: string;
    name?: string | null;
    owner?: string | null;
    group_key?: string | null;
    correlation_id?: string | null;
    traceparent?: string | null;
}
/** What a handler knows of its job. */
export interface RunningJob {
    id: string;
    kind: string;
    queue: string;
    /** The first is 1. */
    attempt: number;
    maxAttempts: number;
    name: string | null;
    /** The user whose job it is. */
    owner: string | null;
    groupKey: string | null;
    correlationId: string | null;
    /** Of the producer. */
    traceparent: string | null;
}
type Write = (message: string, data?: object) => void;
/** Writes a line into the log of the job: as info, or at another level. */
export type Log = Write & Record<LogLine["level"], Write>;
/** What a handler is given. */
export interface Context<Payload = unknown> {
    payload: Payload;
    job: RunningJob;
    /** Is aborted when the attempt must stop: its lease is lost, the job was cancelled, its time is over, or the worker shuts down. `signal.reason.code` says which. */
    signal: AbortSignal;
    log: Log;
    /** How far the job is, 0 to 100. A long-lived worker sends it within a second; an invoked function sends none. */
    progress: (percent: number) => void;
    /** The span of this attempt. Send it with calls that are made for the job. */
    traceparent: string;
    /** The variables: `env` of a Cloudflare Worker, or those of the process. */
    env: any;
    /** A client whose calls belong to this attempt: jobs that it enqueues are of the same trace. */
    mill: Mill;
}
export interface Failed {
    id: string;
    kind: string;
    attempt: number;
    maxAttempts: number;
}
/** What attempts of one server or worker share. */
export interface Surroundings {
    env: () => unknown;
    mill: (traceparent: string, correlationId: string | null) => Mill;
    onError: (error: unknown, job: Failed) => void;
    onProgress?: () => void;
}
export declare const say: (error: unknown, { kind, id, attempt, maxAttempts }: Failed) => void;
export declare class Attempt {
    #private;
    readonly claimed: Claimed;
    readonly handler: Handler | undefined;
    readonly around: Surroundings;
    readonly span: () => string;
    logs: LogLine[];
    percent: number | undefined;
    constructor(claimed: Claimed, handler: Handler | undefined, around: Surroundings, span: () => string);
    /** Ends the attempt now. The handler is told by its signal and no longer waited for. */
    stop(reason: GristmillError): void;
    /** Runs the handler. The outcome is null when there is nothing to settle: another worker may have the job, or it was cancelled. */
    run(most?: number): Promise<Outcome | null>;
    outcome(ending: Ending): Outcome;
    /** The lines since the last call. */
    takeLogs(): LogLine[];
}
export {};
