// Tests of jobs: the real engine in this process, a clock that tests move, and no server, no network and no waiting.
import type { PGlite } from "@electric-sql/pglite";
import type { QueueOptions } from "../definition.js";
import { seconds, type Duration } from "../duration.js";
import type { Handler, Job } from "../job.js";
import { camel } from "../names.js";
import { gristmill, Mill, type JobState, type KeptLine } from "../mill.js";
import { Rpc, variables, type Options } from "../rpc.js";
import type { Schedule } from "../schedule.js";
import { asJson, AssertionError, contains, list, type Part } from "./assert.js";
import { drain, type Drained, type DrainOptions } from "./drain.js";
import { keepRows, resetRows, startEngine } from "./engine.js";
import { Postgrest, tokenOf, type Claims } from "./postgrest.js";

export { AssertionError, type Part } from "./assert.js";
export type { Drained, DrainedAttempt, DrainOptions } from "./drain.js";
export type { Claims } from "./postgrest.js";

export interface TestingOptions {
  /** The code that drain() runs. Their jobs are registered. */
  handlers?: readonly Handler[];
  /** Further jobs to register. */
  jobs?: readonly Job<string, any, any>[];
  /** Options of queues. A queue without any has those that register() gives it. */
  queues?: readonly QueueOptions[];
  /** Schedules to register. */
  schedules?: readonly Schedule[];
  /** What the clock says at the beginning; by default the time of the call. The clock stands still until it is moved. */
  now?: Date | string;
  /** SQL of your own, run once before the first test: your tables and functions. */
  sql?: string | readonly string[];
  /** What handlers see as `env`. By default the variables of the process. */
  env?: unknown;
}

/** A job as it is now, with what only the database knows. */
export interface TestJob<Result = unknown> extends JobState<Result> {
  owner: string | null;
  groupKey: string | null;
  dedupeKey: string | null;
  worker: string | null;
  leaseUntil: string | null;
}

/** The clock of the engine. It stands still. */
export interface Clock {
  now(): Date;
  /** Moves it forward. Leases end and jobs become due by it, at the next claim. */
  move(by: Duration): Promise<Date>;
  set(time: Date | string): Promise<Date>;
}

/** Rows as objects. Values in the template become parameters. */
export type Sql = <Row = any>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

// Columns of mill.job that say how the engine finds a job.
const INNER = ["line", "turn", "waits", "slot", "lane", "pack"];
const WAITING = ["pending", "deferred", "retrying"];

/** The engine in this process, for one test file. Use testing(). */
export class Testing {
  readonly url = "http://gristmill.test";
  /** A service key that this database takes. */
  readonly key = tokenOf({ role: "service_role" });
  /** For another client, such as that of supabase-js: `createClient(t.url, t.key, { global: { fetch: t.fetch } })`. Only RPCs are answered. */
  readonly fetch: typeof fetch;
  /** The ordinary client. */
  readonly mill: Mill;
  readonly clock: Clock;
  /** A query as the owner of the database: t.sql`select … where id = ${id}`. */
  readonly sql: Sql;
  readonly #postgrest: Postgrest;
  readonly #options: Options;
  readonly #rpc: Rpc;
  readonly #first: Date;
  #now: Date;

  /** Use testing(). */
  constructor(readonly db: PGlite, readonly handlers: readonly Handler[], now: Date, env: unknown) {
    this.#first = this.#now = now;
    this.#postgrest = new Postgrest(db, () => this.#now.getTime());
    this.fetch = this.#postgrest.fetch;
    this.#options = { url: this.url, key: this.key, fetch: this.fetch, env, now: () => this.#now.getTime(), timeout: 600_000 };
    this.mill = gristmill(this.#options);
    this.#rpc = new Rpc(this.#options);
    this.clock = {
      now: () => new Date(this.#now),
      move: (by) => this.#set(new Date(this.#now.getTime() + seconds(by) * 1000)),
      set: (time) => this.#set(timeOf(time)),
    };
    this.sql = async (strings, ...values) => {
      this.#postgrest.forget();
      return (await db.query<any>(strings.reduce((text, part, place) => `${text}$${place}${part}`), values)).rows;
    };
  }

  async #set(time: Date): Promise<Date> {
    await this.db.query("select set_config('mill.now', $1, false)", [time.toISOString()]);
    this.#now = time;
    return new Date(time);
  }

  /** A client that acts for a signed-in user: the user's id, or all claims of the token. */
  as(user: string | Claims): Mill {
    const claims = typeof user === "string" ? { role: "authenticated", sub: user } : user;
    return gristmill({ ...this.#options, key: tokenOf({ role: "anon" }), token: tokenOf(claims) });
  }

  /** One job, or null. */
  async job<Result = unknown>(id: string): Promise<TestJob<Result> | null> {
    return ((await this.#jobs("where j.row ->> 'id' = $1", [id]))[0] as TestJob<Result> | undefined) ?? null;
  }

  /** The jobs in the order in which they were enqueued. */
  jobs({ kind, state }: { kind?: string | Job<string, any, any>; state?: TestJob["state"] | readonly TestJob["state"][] } = {}): Promise<TestJob[]> {
    return this.#jobs("where ($1::text is null or j.row ->> 'kind' = $1) and ($2::text[] is null or j.row ->> 'state' = any ($2))",
      [typeof kind === "object" ? kind.kind : kind ?? null, state === undefined ? null : [state].flat()]);
  }

  async #jobs(where: string, values: unknown[]): Promise<TestJob[]> {
    const { rows } = await this.db.query<{ row: object }>(
      `select j.row from (select to_jsonb(j) as row from mill.job j union all select to_jsonb(p) as row from mill.packed_job p) j ${where}
       order by j.row ->> 'created_at', j.row ->> 'id'`, values);
    return rows.map(({ row }) => camel(Object.fromEntries(Object.entries(row).filter(([name]) => !INNER.includes(name)))));
  }

  /** The log of a job. */
  logs(id: string): Promise<KeptLine[]> {
    return this.mill.logs(id);
  }

  /**
   * Throws unless a job of this kind waits whose payload has what is given, and answers the first one. With `count` there must be exactly so many;
   * with `runAt` a job must be due at that time, give or take a second.
   */
  async requireEnqueued<Input>(job: Job<string, Input, any>, payload?: Part<Input>, { count, runAt }: { count?: number; runAt?: Date | string } = {}): Promise<TestJob> {
    const [found, all] = await this.#enqueued(job, payload, runAt);
    if (count === undefined ? found.length > 0 : found.length === count) return found[0]!;
    const wanted = `${count === undefined ? "a job" : count === 1 ? "1 job" : `${count} jobs`} "${job.kind}"${describe(payload, runAt)}`;
    throw new AssertionError(`${wanted} should be enqueued, ${count === undefined ? "and there is none" : `and there are ${found.length}`}; ${list(all)}`);
  }

  /** Throws if a job of this kind waits whose payload has what is given. */
  async refuteEnqueued<Input>(job: Job<string, Input, any>, payload?: Part<Input>, { runAt }: { runAt?: Date | string } = {}): Promise<void> {
    const [found] = await this.#enqueued(job, payload, runAt);
    if (found.length > 0) throw new AssertionError(`no job "${job.kind}"${describe(payload, runAt)} should be enqueued; ${list(found)}`);
  }

  async #enqueued(job: Job<string, any, any>, payload: unknown, runAt?: Date | string): Promise<[TestJob[], TestJob[]]> {
    const all = await this.jobs({ state: WAITING });
    const part = asJson(payload);
    const found = all.filter((one) => one.kind === job.kind && (part === undefined || contains(one.payload, part)) &&
      (runAt === undefined || Math.abs(Date.parse(one.runAt!) - timeOf(runAt).getTime()) <= 1000));
    return [found, all];
  }

  /**
   * Runs everything that is due until nothing is, and answers what happened. An attempt that fails is retried once the clock was moved past its backoff.
   * Without handlers those of testing() run. A job whose kind has no handler is left alone.
   */
  drain(handlers: readonly Handler[] = this.handlers, options: DrainOptions = {}): Promise<Drained> {
    return drain({
      rpc: this.#rpc,
      around: { env: () => this.#options.env ?? variables(), mill: (traceparent, correlationId) => new Mill(this.#options, traceparent, correlationId) },
      isCompletedBy: async (...holder) => (await this.db.query<{ is: boolean }>("select mill.is_completed_by(row($1, $2, $3)::mill.holder) as is", holder)).rows[0]!.is,
      nextDue: async (kinds, withSchedules) => {
        const { rows } = await this.db.query<{ due: Date | null }>(
          `select least((select min(run_at) from mill.job_live where waits and kind = any ($1) and run_at < mill.now() + interval '90 years'),
             (select min(next_due) from mill.job_schedule where $2 and not paused and kind = any ($1))) as due`, [kinds, withSchedules]);
        const due = rows[0]?.due;
        // To the next millisecond: the database counts smaller parts, and the job must be due.
        return due ? new Date(due.getTime() + 1) : null;
      },
      moveTo: async (time) => void (await this.#set(time)),
    }, handlers, options);
  }

  /** Brings back the rows and the clock of the beginning. */
  async reset(): Promise<void> {
    await resetRows(this.db);
    await this.#set(this.#first);
  }

  async close(): Promise<void> {
    await this.db.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const describe = (payload: unknown, runAt?: Date | string) =>
  `${payload === undefined ? "" : ` with ${JSON.stringify(payload)}`}${runAt === undefined ? "" : ` at ${timeOf(runAt).toISOString()}`}`;

function timeOf(time: Date | string): Date {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw new TypeError(`"${String(time)}" is not a time`);
  return date;
}

/** Starts the engine in this process, registers the jobs and answers what tests need. Takes one to two seconds; call reset() between tests. */
export async function testing({ handlers = [], jobs = [], queues = [], schedules = [], now = new Date(), sql = [], env }: TestingOptions = {}): Promise<Testing> {
  const db = await startEngine();
  try {
    const t = new Testing(db, handlers, timeOf(now), env);
    await t.clock.set(now);
    for (const text of [sql].flat()) await db.exec(text as string);
    const all = [...new Set([...handlers.map(({ job }) => job), ...schedules.map(({ job }) => job), ...jobs])];
    if (all.length > 0 || queues.length > 0) await t.mill.register({ queues, jobs: all, schedules });
    await keepRows(db);
    return t;
  } catch (error) {
    await db.close();
    throw error;
  }
}
