/** What Postgres, PostgREST or the gateway answered, or that nothing was answered. docs/errors.md lists the codes. */
export class GristmillError extends Error {
  override name = "GristmillError";
  /** A SQLSTATE, a code of PostgREST or the gateway, or a word of this library: `no_answer`, `lost_lease`, `cancelled`, `shutdown`, `timeout`, `misconfigured`. */
  declare code: string;
  /** The HTTP status, or 0 when there was no answer. */
  declare status: number;
  declare details: string | null;
  declare hint: string | null;
  /** Whether the same call may go well later. */
  declare retryable: boolean;

  constructor(code: string, message: string, { cause, status = 0, details = null, hint = null, retryable = false }:
    { status?: number; details?: string | null | undefined; hint?: string | null | undefined; retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    Object.assign(this, { code, status, details, hint, retryable });
  }
}

/** The payload does not fit the schema of its job. Nothing was enqueued. */
export class InvalidPayload extends GristmillError {
  override name = "InvalidPayload";
  /** Where in the payload, as a JSON Pointer: `/to`, `/items/0/price`. Null when the whole payload is wrong. */
  field: string | null = null;
}

/** The kind is not registered, or not open to the caller. */
export class UnknownKind extends GristmillError {
  override name = "UnknownKind";
}

/** The queue is at its depth limit. */
export class QueueFull extends GristmillError {
  override name = "QueueFull";
}

/** Another worker may run the job by now: the reason of `signal` in a handler. */
export class LostLease extends GristmillError {
  override name = "LostLease";
}

// These say that the transaction was rolled back or never begun. So a repetition cannot do a thing twice.
export const NOTHING_WAS_DONE = ["40001", "40P01", "55P03", "57014", "25006", "GWT429"];
export const isRolledBack = (error: unknown): boolean => NOTHING_WAS_DONE.includes((error as GristmillError).code);
