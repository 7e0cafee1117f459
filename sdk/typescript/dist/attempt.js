// One attempt of a job: its context, its logs, and how it ends.
import { seconds } from "./duration.js";
import { GristmillError, InvalidPayload } from "./errors.js";
import { camel } from "./names.js";
import { endingOf, invalidPayload, Signal } from "./outcome.js";
import { validated } from "./schema.js";
import { traceparentOf } from "./trace.js";
export const say = (error, { kind, id, attempt, maxAttempts }) => console.error(`${kind} ${id}, attempt ${attempt} of ${maxAttempts}:`, error);
// As Postgres does. A byte of JSON more or less does not matter: Postgres counts again.
const MOST_LINES = 999;
const MOST_LENGTH = 60_000;
export class Attempt {
    claimed;
    handler;
    around;
    span;
    logs = [];
    percent;
    #lines = 0;
    #length = 0;
    #leftOut = 0;
    #control;
    #reason;
    #invalid;
    #stopped;
    constructor(claimed, handler, around, span) {
        this.claimed = claimed;
        this.handler = handler;
        this.around = around;
        this.span = span;
    }
    /** Ends the attempt now. The handler is told by its signal and no longer waited for. */
    stop(reason) {
        this.#reason ??= reason;
        this.#stopped?.(reason);
        this.#control?.abort(reason);
    }
    /** Runs the handler. The outcome is null when there is nothing to settle: another worker may have the job, or it was cancelled. */
    async run(most = Infinity) {
        const { claimed, handler } = this;
        if (!handler) {
            const message = `there is no handler for the kind "${claimed.kind}" here`;
            console.error(`${claimed.id}: ${message}; the job is given back`);
            return this.outcome({ outcome: "released", delay_seconds: 60, error: { type: "unknown_kind", message, retryable: true } });
        }
        const { timeout } = handler.job.options;
        const limit = Math.min(most, timeout === undefined ? Infinity : seconds(timeout));
        let timer;
        try {
            const stopped = new Promise((_, reject) => (this.#stopped = reject));
            if (limit < 2e6)
                timer = setTimeout(() => this.stop(new GristmillError("timeout", `not done after ${Number(limit.toFixed(1))} s`)), limit * 1000);
            if (this.#reason)
                throw this.#reason;
            const result = await Promise.race([this.#work(handler), stopped]);
            return this.outcome({ outcome: "completed", result: result ?? null });
        }
        catch (error) {
            const ending = this.#ending(error);
            if (ending && /failed|dead/.test(ending.outcome))
                this.#report(error);
            return ending && this.outcome(ending);
        }
        finally {
            clearTimeout(timer);
            this.#stopped = undefined;
        }
    }
    async #work({ job, run }) {
        let { payload } = this.claimed;
        if (job.schema) {
            try {
                payload = await validated(job.schema, job.kind, payload);
            }
            catch (error) {
                this.#invalid = error;
                throw error;
            }
        }
        return run(this.#context(payload));
    }
    #ending(error) {
        const reason = this.#reason;
        if (reason?.code === "lost_lease" || reason?.code === "cancelled")
            return null;
        // A handler that fails because it was told to stop has not failed.
        if (reason?.code === "shutdown" && !(error instanceof Signal))
            return { outcome: "released", error: { type: "shutdown", message: reason.message, retryable: true } };
        if (error instanceof InvalidPayload && error === this.#invalid)
            return invalidPayload(error);
        return endingOf(error);
    }
    // A mistake in the user's own report must not cost the job its outcome.
    #report(error) {
        try {
            this.around.onError(error, camel(this.claimed));
        }
        catch (other) {
            console.error(other);
        }
    }
    outcome(ending) {
        const { id, attempt } = this.claimed;
        const logs = this.takeLogs();
        if (this.#leftOut > 0)
            logs.push({ level: "warn", message: `${this.#leftOut} more lines were left out` });
        return { id, attempt, ...ending, ...(logs.length > 0 && { logs }) };
    }
    /** The lines since the last call. */
    takeLogs() {
        return this.logs.splice(0);
    }
    #write(level, message, data) {
        const write = (data) => JSON.stringify({ at: new Date(), level, message: String(message).slice(0, 4096), data });
        let line;
        try {
            line = write(data);
        }
        catch {
            line = write({ text: String(data) }); // what cannot be written as JSON must not cost the job its result
        }
        this.#length += line.length;
        if (++this.#lines > MOST_LINES || this.#length > MOST_LENGTH)
            this.#leftOut++;
        else
            this.logs.push(JSON.parse(line.replaceAll("\\u0000", ""))); // Postgres takes no NUL
    }
    // Getters, because most handlers use few of these, and an attempt that does nothing should cost nothing.
    #context(payload) {
        const attempt = this;
        const { claimed, around } = this;
        let job, log, mill, span;
        return {
            payload,
            get job() {
                const { payload: _payload, lease_until: _lease, ...rest } = claimed;
                return (job ??= camel(rest));
            },
            get signal() {
                if (!attempt.#control) {
                    attempt.#control = new AbortController();
                    if (attempt.#reason)
                        attempt.#control.abort(attempt.#reason);
                }
                return attempt.#control.signal;
            },
            get log() {
                const at = (level) => (message, data) => attempt.#write(level, message, data);
                return (log ??= Object.assign(at("info"), { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }));
            },
            progress(percent) {
                attempt.percent = Math.max(0, Math.min(100, Math.round(percent)));
                around.onProgress?.();
            },
            get traceparent() {
                return (span ??= traceparentOf(claimed, attempt.span()));
            },
            get env() {
                return around.env();
            },
            get mill() {
                return (mill ??= around.mill(this.traceparent, claimed.correlation_id ?? null));
            },
        };
    }
}
