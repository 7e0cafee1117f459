/** What Postgres, PostgREST or the gateway answered, or that nothing was answered. docs/errors.md lists the codes. */
export class GristmillError extends Error {
    name = "GristmillError";
    constructor(code, message, { cause, status = 0, details = null, hint = null, retryable = false } = {}) {
        super(message, { cause });
        Object.assign(this, { code, status, details, hint, retryable });
    }
}
/** The payload does not fit the schema of its job. Nothing was enqueued. */
export class InvalidPayload extends GristmillError {
    name = "InvalidPayload";
    /** Where in the payload, as a JSON Pointer: `/to`, `/items/0/price`. Null when the whole payload is wrong. */
    field = null;
}
/** The kind is not registered, or not open to the caller. */
export class UnknownKind extends GristmillError {
    name = "UnknownKind";
}
/** The queue is at its depth limit. */
export class QueueFull extends GristmillError {
    name = "QueueFull";
}
/** Another worker may run the job by now: the reason of `signal` in a handler. */
export class LostLease extends GristmillError {
    name = "LostLease";
}
// These say that the transaction was rolled back or never begun. So a repetition cannot do a thing twice.
const NOTHING_WAS_DONE = ["40001", "40P01", "55P03", "57014", "25006", "GWT429"];
export const isRolledBack = (error) => NOTHING_WAS_DONE.includes(error.code);
const CLASSES = { GM001: UnknownKind, GM006: QueueFull, GM011: InvalidPayload };
/** The error for an answer from 400 on. */
export function errorOf(name, status, text) {
    let body = {};
    try {
        body = JSON.parse(text) ?? {};
    }
    catch {
        // A proxy answered, not the gateway.
    }
    const code = String(body.code ?? status);
    const error = new (CLASSES[code] ?? GristmillError)(code, `${name}: ${body.message ?? (text.slice(0, 200) || `status ${status}`)}`, {
        status, details: body.details, hint: body.hint, retryable: [502, 503, 504].includes(status) || NOTHING_WAS_DONE.includes(code)
    });
    if (error instanceof InvalidPayload)
        error.field = /field (\/.*)$/.exec(body.details ?? "")?.[1] ?? null;
    return error;
}
