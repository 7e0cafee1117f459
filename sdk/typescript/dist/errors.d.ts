/** What Postgres, PostgREST or the gateway answered, or that nothing was answered. docs/errors.md lists the codes. */
export declare class GristmillError extends Error {
    name: string;
    /** A SQLSTATE, a code of PostgREST or the gateway, or a word of this library: `no_answer`, `lost_lease`, `cancelled`, `shutdown`, `timeout`, `misconfigured`. */
    code: string;
    /** The HTTP status, or 0 when there was no answer. */
    status: number;
    details: string | null;
    hint: string | null;
    /** Whether the same call may go well later. */
    retryable: boolean;
    constructor(code: string, message: string, { cause, status, details, hint, retryable }?: {
        status?: number;
        details?: string | null | undefined;
        hint?: string | null | undefined;
        retryable?: boolean;
        cause?: unknown;
    });
}
/** The payload does not fit the schema of its job. Nothing was enqueued. */
export declare class InvalidPayload extends GristmillError {
    name: string;
    /** Where in the payload, as a JSON Pointer: `/to`, `/items/0/price`. Null when the whole payload is wrong. */
    field: string | null;
}
/** The kind is not registered, or not open to the caller. */
export declare class UnknownKind extends GristmillError {
    name: string;
}
/** The queue is at its depth limit. */
export declare class QueueFull extends GristmillError {
    name: string;
}
/** Another worker may run the job by now: the reason of `signal` in a handler. */
export declare class LostLease extends GristmillError {
    name: string;
}
export declare const isRolledBack: (error: unknown) => boolean;
/** The error for an answer from 400 on. */
export declare function errorOf(name: string, status: number, text: string): GristmillError;
