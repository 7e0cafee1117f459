// Runs what is due, one batch after the other, by the same claims, attempts and settlements that a worker makes.
import { Attempt, type Claimed, type Surroundings } from "../attempt.js";
import { byKind, type Handler } from "../job.js";
import type { Outcome } from "../outcome.js";
import type { Rpc } from "../rpc.js";
import { settle } from "../settle.js";
import { hashStart } from "../hash.js";
import { spanName } from "../trace.js";

export interface DrainOptions {
  /** Also jobs that are not due yet: the clock moves to each of them in turn. A date is the last time to which it moves, also for schedules, which have no last. */
  withScheduled?: boolean | Date;
  /** How many jobs run at once; 1 by default, so that the order is always the same. */
  concurrency?: number;
  /** Throws the error of the first attempt that fails, after that attempt was settled. */
  rethrow?: boolean;
  /** The most attempts; 10,000 by default. A job that snoozes without end is found by it. */
  limit?: number;
}

/** One attempt that drain() has run. */
export interface DrainedAttempt {
  id: string;
  kind: string;
  attempt: number;
  payload: unknown;
  /** `lost`: the lease was gone or the job cancelled, and nothing of the attempt was kept. */
  outcome: Outcome["outcome"] | "lost";
  result?: unknown;
  /** What the handler has thrown. */
  error?: unknown;
  /** After how many seconds the job is tried again, where the handler has said so. */
  delaySeconds?: number;
}

/** What drain() has done. */
export interface Drained {
  attempts: DrainedAttempt[];
  completed: number;
  failed: number;
  snoozed: number;
  released: number;
  dead: number;
  lost: number;
}

interface Place {
  rpc: Rpc;
  around: Omit<Surroundings, "onError">;
  /** Whether this very attempt has completed the job, in a transaction of its handler. */
  isCompletedBy: (job: string, worker: string, attempt: number) => Promise<boolean>;
  /** When the next job of these kinds is due, or the next due time of a schedule of theirs; or null. */
  nextDue: (kinds: string[], withSchedules: boolean) => Promise<Date | null>;
  moveTo: (time: Date) => Promise<void>;
}

export async function drain({ rpc, around, isCompletedBy, nextDue, moveTo }: Place, handlers: readonly Handler[], { withScheduled = false, concurrency = 1, rethrow = false, limit = 10_000 }: DrainOptions): Promise<Drained> {
  const known = byKind(handlers);
  const kinds = [...known.keys()];
  const queues = [...new Set(handlers.map(({ job }) => job.queue))];
  const worker = `testing-${crypto.randomUUID()}`;
  const drained: Drained = { attempts: [], completed: 0, failed: 0, snoozed: 0, released: 0, dead: 0, lost: 0 };
  const claim = (): Promise<Claimed[]> => rpc.call("claim_jobs", { p_worker: worker, p_queues: queues, p_max: concurrency, p_kinds: kinds });

  for (;;) {
    let jobs = await claim();
    if (jobs.length === 0) {
      await rpc.call("tick"); // as the pump does: takes back expired leases, and makes due what was deferred
      jobs = await claim();
    }
    if (jobs.length === 0) {
      const due = withScheduled === false ? null : await nextDue(kinds, withScheduled instanceof Date);
      if (!due || (withScheduled instanceof Date && due > withScheduled)) return drained;
      await moveTo(due);
      continue;
    }
    if (drained.attempts.length + jobs.length > limit) throw new Error(`drain() has run ${drained.attempts.length} attempts and there are more: ${jobs[0]!.kind} ${jobs[0]!.id} is in its attempt ${jobs[0]!.attempt}`);
    const attempts = await Promise.all(jobs.map((job) => run(job)));
    drained.attempts.push(...attempts);
    for (const { outcome } of attempts) drained[outcome]++;
    const failed = attempts.find(({ error }) => error !== undefined);
    if (rethrow && failed) throw failed.error;
  }

  async function run(job: Claimed): Promise<DrainedAttempt> {
    let thrown: unknown;
    const attempt = new Attempt({ ...job, worker }, known.get(job.kind), { ...around, onError: (error) => (thrown = error) }, () => hashStart(spanName(job)));
    const outcome = await attempt.run();
    const done: DrainedAttempt = { id: job.id, kind: job.kind, attempt: job.attempt, payload: job.payload, outcome: outcome?.outcome ?? (attempt.reason?.code === "suspended" ? "snoozed" : "lost") };
    if (outcome) {
      if (attempt.percent !== undefined) await rpc.call("heartbeat_jobs", { p_worker: worker, p_leases: [{ id: job.id, attempt: job.attempt, progress: attempt.percent }] });
      const [settled] = await settle(rpc, worker, [outcome], {});
      if (settled?.status === "lost") done.outcome = (await isCompletedBy(job.id, worker, job.attempt)) ? "completed" : "lost";
      if (outcome.result !== undefined) done.result = outcome.result;
      if (outcome.delay_seconds !== undefined) done.delaySeconds = outcome.delay_seconds;
    }
    if (thrown !== undefined) done.error = thrown;
    return done;
  }
}
