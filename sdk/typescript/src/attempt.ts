// One attempt of a job: its context, its logs, and how it ends.
import { seconds, type Duration } from "./duration.js";
import { GristmillError, InvalidPayload } from "./errors.js";
import type { Handler } from "./job.js";
import type { Mill } from "./mill.js";
import { camel } from "./names.js";
import { endingOf, invalidPayload, Signal, type Ending, type LogLine, type Outcome } from "./outcome.js";
import { validated } from "./schema.js";
import { traceparentOf } from "./trace.js";

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
  /** Under which name it was claimed; the caller of claim_jobs adds it. */
  worker: string;
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
  /** The name under which the job is held. With the id and the attempt it is the fencing token, for RPCs of your own that end the job together with rows. */
  worker: string;
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
  /**
   * Runs `run` once in the life of the job and keeps its result. A later attempt of the job gets the result and runs nothing. Names are unique in a job;
   * where one comes again, as in a loop, it is counted.
   */
  step: <Result>(name: string, run: () => Result) => Promise<Awaited<Result>>;
  /** Puts the job off, without holding a worker, an invocation or a lease. When it goes on, the handler begins again and passes its steps by. */
  sleep: (name: string, time: Duration | Date) => Promise<void>;
  /** Waits in the same way for an event of this name that `mill.sendEvent` sends to the job, also before it waits. Its payload; undefined after the timeout. */
  waitFor: <Payload = any>(event: string, options?: { timeout?: Duration; step?: string }) => Promise<Payload | undefined>;
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

export const say = (error: unknown, { kind, id, attempt, maxAttempts }: Failed): void => console.error(`${kind} ${id}, attempt ${attempt} of ${maxAttempts}:`, error);

// As Postgres does. A byte of JSON more or less does not matter: Postgres counts again.
const MOST_LINES = 999;
const MOST_LENGTH = 60_000;

export class Attempt {
  logs: LogLine[] = [];
  percent: number | undefined;
  /** Why it was stopped. */
  reason: GristmillError | undefined;
  /** When four fifths of its time are over, by Date.now(). */
  late = Infinity;
  #lines = 0;
  #length = 0;
  #leftOut = 0;
  #control: AbortController | undefined;
  #invalid: unknown;
  #stopped: ((reason: GristmillError) => void) | undefined;

  constructor(readonly claimed: Claimed, readonly handler: Handler | undefined, readonly around: Surroundings, readonly span: () => string) {}

  /** Ends the attempt now. The handler is told by its signal and no longer waited for. */
  stop(reason: GristmillError): void {
    this.reason ??= reason;
    this.#stopped?.(reason);
    this.#control?.abort(reason);
  }

  /** Runs the handler. The outcome is null when there is nothing to settle: another worker may have the job, or it was cancelled. */
  async run(most = Infinity): Promise<Outcome | null> {
    const { claimed, handler } = this;
    if (!handler) {
      // Loaded when it is needed, which is seldom.
      return this.outcome((await import("./unknown-kind.js")).givenBack(claimed));
    }
    const { timeout } = handler.job.options;
    const limit = Math.min(most, timeout === undefined ? Infinity : seconds(timeout));
    this.late = Date.now() + limit * 800;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const stopped = new Promise<never>((_, reject) => (this.#stopped = reject));
      if (limit < 2e6) timer = setTimeout(() => this.stop(new GristmillError("timeout", `not done after ${Math.ceil(limit)} s`)), limit * 1000);
      if (this.reason) throw this.reason;
      const result = await Promise.race([this.#work(handler), stopped]);
      return this.outcome({ outcome: "completed", ...(result !== undefined && { result }) });
    } catch (error) {
      const ending = this.#ending(error);
      if (ending && /failed|dead/.test(ending.outcome)) this.#report(error);
      return ending && this.outcome(ending);
    } finally {
      clearTimeout(timer);
      this.#stopped = undefined;
    }
  }

  async #work({ job, run }: Handler): Promise<unknown> {
    let { payload } = this.claimed;
    if (job.schema) {
      try {
        payload = await validated(job.schema, job.kind, payload);
      } catch (error) {
        this.#invalid = error;
        throw error;
      }
    }
    return run(this.#context(payload));
  }

  #ending(error: unknown): Ending | null {
    const { reason } = this;
    const why = reason?.code;
    if (/lost|cancel|suspend/.test(why!)) return null;
    if (why === "continued") return { outcome: "released" };
    // A handler that fails because it was told to stop has not failed.
    if (why === "shutdown" && !(error instanceof Signal)) return { outcome: "released", error: { type: why, message: reason!.message, retryable: true } };
    if (error instanceof InvalidPayload && error === this.#invalid) return invalidPayload(error);
    return endingOf(error);
  }

  // A mistake in the user's own report must not cost the job its outcome.
  #report(error: unknown): void {
    try {
      this.around.onError(error, camel(this.claimed));
    } catch (other) {
      console.error(other);
    }
  }

  outcome(ending: Ending): Outcome {
    const { id, attempt } = this.claimed;
    const logs = this.takeLogs();
    if (this.#leftOut > 0) logs.push({ level: "warn", message: `${this.#leftOut} more lines were left out` });
    return { id, attempt, ...ending, ...(logs.length > 0 && { logs }) };
  }

  /** The lines since the last call. */
  takeLogs(): LogLine[] {
    return this.logs.splice(0);
  }

  #write(level: LogLine["level"], message: unknown, data?: unknown): void {
    const write = (data: unknown) => JSON.stringify({ at: new Date(), level, message: String(message).slice(0, 4096), data });
    let line;
    try {
      line = write(data);
    } catch {
      line = write({ text: String(data) }); // what cannot be written as JSON must not cost the job its result
    }
    this.#length += line.length;
    if (++this.#lines > MOST_LINES || this.#length > MOST_LENGTH) this.#leftOut++;
    else this.logs.push(JSON.parse(line.replaceAll("\\u0000", ""))); // Postgres takes no NUL
  }

  // Getters, because most handlers use few of these, and an attempt that does nothing should cost nothing.
  #context(payload: unknown): Context {
    const attempt = this;
    const { claimed, around } = this;
    let job: RunningJob | undefined, log: Log | undefined, mill: Mill | undefined, span: string | undefined, steps: Promise<any> | undefined;
    const durable = (call: string) => async (...given: unknown[]) =>
      (await (steps ??= import("./steps.js").then(({ Steps }) => new Steps(attempt, context.mill))))[call](...given);
    const context: Context = {
      payload,
      step: durable("step"),
      sleep: durable("sleep"),
      waitFor: durable("waitFor") as Context["waitFor"],
      get job() {
        const { payload: _payload, lease_until: _lease, ...rest } = claimed;
        return (job ??= camel(rest) as RunningJob);
      },
      get signal() {
        if (!attempt.#control) {
          attempt.#control = new AbortController();
          if (attempt.reason) attempt.#control.abort(attempt.reason);
        }
        return attempt.#control.signal;
      },
      get log() {
        const at = (level: LogLine["level"]): Write => (message, data) => attempt.#write(level, message, data);
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
    return context;
  }
}
