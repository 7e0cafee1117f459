// A long-lived worker: claims jobs, runs them, settles them and claims the next in the same call.
import { Attempt, say, type Claimed, type Failed, type Surroundings } from "./attempt.js";
import { seconds, type Duration } from "./duration.js";
import { GristmillError, LostLease } from "./errors.js";
import { hashStart } from "./hash.js";
import { byKind, type Handler, type Handlers } from "./job.js";
import type { Mill } from "./mill.js";
import type { LogLine, Outcome } from "./outcome.js";
import { Rpc, variables } from "./rpc.js";
import { isAboutCaller, MOST, settle, type Settled } from "./settle.js";
import { spanName } from "./trace.js";

export interface WorkOptions {
  /** How many jobs run at once; 10 by default. */
  concurrency?: number;
  /** By default those of the jobs. */
  queues?: readonly string[];
  /** Claims only kinds with a handler, for a queue whose other kinds are run elsewhere. Such a claim costs more, so it is not the default. */
  onlyKnownKinds?: boolean;
  /** A name that no other process has. By default it is made of the host, the process id and random characters. */
  name?: string;
  /** Ends the worker, as SIGINT and SIGTERM do. */
  signal?: AbortSignal;
  /** How long to wait after a claim that found nothing; "1s" by default. It doubles up to 5 s. */
  pollInterval?: Duration;
  /** How long running jobs may go on after the end was asked for; "25s" by default. Then they are given back. */
  drain?: Duration;
  /**
   * The most jobs that are claimed before they can start; 500 by default, 0 for none. The worker claims ahead only as many as it does in 100 ms, by the average of its last jobs,
   * and gives back a job that has waited for a second. So long jobs are not claimed ahead, and short ones do not wait for a round trip.
   */
  prefetch?: number;
  /** Ends the worker when a claim finds nothing and nothing runs. */
  stopWhenIdle?: boolean;
  /** Is called for each attempt that failed. By default the error is written to the console. */
  onError?: (error: unknown, job: Failed) => void;
}

interface Task {
  attempt: Attempt;
  /** Milliseconds that the lease lasts from the call that claimed or extended it. */
  lease: number;
  /** When it counts as lost, by performance.now(). */
  until: number;
  /** Since when it waits, or runs. */
  since: number;
  percent?: number;
}

// Two calls at the same time: while Postgres answers one, the other's jobs run. A third gained nothing.
const LANES = 2;
const AHEAD_MS = 100;
const MOST_WAITING_MS = 1000;

type Node = { process?: { pid?: number; on?: unknown; once(signal: string, run: () => void): void; removeListener(signal: string, run: () => void): void }; setImmediate?: (run: () => void) => void };
const scope = globalThis as unknown as Node;

export async function work(rpc: Rpc, handlers: readonly Handler[], options: WorkOptions, mill: (traceparent: string, correlationId: string | null) => Mill, wakers: Set<() => void>): Promise<void> {
  const worker = new Worker(rpc, byKind(handlers), options, mill);
  const stop = () => {
    off(); // a second signal ends the process at once
    worker.stop();
  };
  const wake = () => worker.wake();
  const off = () => {
    for (const signal of ["SIGINT", "SIGTERM"]) scope.process?.removeListener?.(signal, stop);
    options.signal?.removeEventListener("abort", stop);
    wakers.delete(wake);
  };
  if (scope.process?.on) for (const signal of ["SIGINT", "SIGTERM"]) scope.process.once(signal, stop);
  options.signal?.addEventListener("abort", stop);
  wakers.add(wake);
  if (options.signal?.aborted) return off();
  try {
    await worker.ended;
  } finally {
    off();
    await worker.leave();
  }
}

class Worker {
  readonly ended: Promise<void>;
  readonly #name: string;
  readonly #queues: readonly string[];
  readonly #concurrency: number;
  readonly #around: Surroundings;
  /** Every job whose lease this worker has: waiting, running, or not yet settled. */
  readonly #held = new Set<Task>();
  #waiting: Task[] = [];
  readonly #running = new Set<Task>();
  #done: { task: Task; outcome: Outcome }[] = [];
  #calls = 0;
  /** Jobs that calls under way have asked for. */
  #asked = 0;
  /** Milliseconds that a job takes, the newest counting most. */
  #average = Infinity;
  #hasClaimed = false;
  #hasBoth = true;
  #isPlanned = false;
  #isStopping = false;
  #isOver = false;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #pause: number;
  /** The last pause after a claim that failed. */
  #trouble = 0;
  #tick: ReturnType<typeof setTimeout> | undefined;
  #looksEvery = 0;
  #lastBeat = performance.now();
  #beatSoon = false;
  #isBeating = false;
  readonly #cut = new AbortController();
  #drain: ReturnType<typeof setTimeout> | undefined;
  #end!: () => void;
  #fail!: (error: unknown) => void;

  constructor(readonly rpc: Rpc, readonly handlers: Handlers, readonly options: WorkOptions, mill: Surroundings["mill"]) {
    this.#name = options.name ?? `${variables()["HOSTNAME"] ?? "worker"}-${scope.process?.pid ?? 0}-${crypto.randomUUID().slice(0, 8)}`;
    this.#queues = options.queues ?? [...new Set([...handlers.values()].map(({ job }) => job.queue))];
    this.#concurrency = options.concurrency ?? 10;
    if (!(this.#concurrency >= 1)) throw new TypeError("concurrency must be 1 or more");
    this.#pause = this.#firstPause;
    this.#around = { env: variables, mill, onError: options.onError ?? say, onProgress: () => (this.#beatSoon = true) };
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.#watch();
    this.#go();
  }

  get #firstPause() {
    return seconds(this.options.pollInterval ?? 1) * 1000;
  }

  /** Claims now, if it rests. */
  wake(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#pause = this.#firstPause;
    this.#plan();
  }

  /** Tells Postgres that this worker has ended. Without that it would be shown as alive until it has missed three heartbeats. */
  async leave(): Promise<void> {
    if (!this.#hasClaimed) return;
    const given = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, 3000)));
    const call = this.rpc.call("end_worker", { p_worker: this.#name }, { signal: given.signal }).catch(() => {}); // an older Postgres has no such function
    await Promise.race([call, late]);
    clearTimeout(timer);
    given.abort();
  }

  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearTimeout(this.#rest);
    this.#giveBack(() => true);
    this.#drain = setTimeout(() => {
      for (const { attempt } of this.#running) attempt.stop(new GristmillError("shutdown", "the worker was shut down"));
      // What Postgres has not heard by then it learns when the leases end.
      this.#drain = setTimeout(() => this.#cut.abort(new GristmillError("shutdown", "the worker was shut down")), 10_000);
    }, seconds(this.options.drain ?? 25) * 1000);
    this.#plan();
  }

  // After the jobs that end in this turn, so that they are settled together.
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const go = () => {
      this.#isPlanned = false;
      this.#go();
    };
    if (scope.setImmediate) scope.setImmediate(go);
    else setTimeout(go, 0);
  }

  get #prefetch(): number {
    return Math.min(this.options.prefetch ?? 500, Math.floor((this.#concurrency * AHEAD_MS) / this.#average));
  }

  #start(): void {
    while (this.#running.size < this.#concurrency && this.#waiting.length > 0) {
      const task = this.#waiting.shift()!;
      task.since = performance.now();
      this.#running.add(task);
      void task.attempt.run().then((outcome) => {
        this.#running.delete(task);
        const took = performance.now() - task.since;
        this.#average = this.#average === Infinity ? took : this.#average * 0.9 + took * 0.1;
        if (outcome && this.#held.has(task)) this.#done.push({ task, outcome });
        else this.#held.delete(task);
        this.#start();
        this.#plan();
      });
    }
  }

  #go(): void {
    if (this.#isOver) return;
    this.#start();
    const prefetch = this.#prefetch;
    const most = this.#concurrency + prefetch;
    while (this.#calls < LANES) {
      const free = most - this.#running.size - this.#waiting.length - this.#asked;
      const claims = !this.#isStopping && free > 0 && (!this.#rest || this.#done.length > 0);
      if (!claims && this.#done.length === 0) break;
      // While a call is under way, wait until another is worth its round trip.
      if (this.#calls > 0 && Math.max(free, this.#done.length) < Math.floor(most / LANES)) break;
      // Half of them in each call, where there are many.
      const share = Math.min(MOST, prefetch > 0 ? Math.ceil(most / LANES) : most);
      void this.#exchange(this.#done.splice(0, Math.max(share, 100)), claims ? Math.min(free, share) : 0);
    }
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (!this.#isStopping || this.#calls > 0 || this.#held.size > 0 || this.#running.size > 0) return;
    this.#finish();
    this.#end();
  }

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#tick);
    clearTimeout(this.#drain);
    clearTimeout(this.#rest);
  }

  async #exchange(batch: { task: Task; outcome: Outcome }[], ask: number): Promise<void> {
    this.#calls++;
    this.#asked += ask;
    try {
      const { jobs, date, begun } = await this.#settleAndClaim(batch.map(({ outcome }) => outcome), ask);
      for (const { task } of batch) this.#held.delete(task);
      if (ask > 0) this.#hasClaimed = true;
      this.#trouble = 0;
      this.#take(jobs, date, begun);
      if (jobs.length > 0) this.wake();
      else if (ask > 0) this.#restNow();
    } catch (error) {
      if (batch.length === 0 && (error as GristmillError).retryable) this.#claimLater((error as { wait?: number }).wait);
      else this.#isRefused(error, batch);
    } finally {
      this.#calls--;
      this.#asked -= ask;
      this.#plan();
    }
  }

  async #settleAndClaim(outcomes: Outcome[], ask: number): Promise<{ jobs: Claimed[]; date: number; begun: number }> {
    let date = NaN, begun = performance.now();
    const options = {
      // A claim alone is repeated by #claimLater: the end of the worker does not wait for it.
      repeatable: true, patience: outcomes.length > 0 ? Infinity : 0, signal: this.#cut.signal,
      onAnswer: (answer: Response, at: number) => {
        date = Date.parse(answer.headers.get("date") ?? "");
        begun = at;
      },
    };
    const claim = { p_worker: this.#name, p_queues: this.#queues, p_max: ask, ...(this.options.onlyKnownKinds && { p_kinds: [...this.handlers.keys()] }) };
    if (ask > 0 && this.#hasBoth) {
      try {
        const { jobs } = await this.rpc.call<{ settled: Settled[]; jobs: Claimed[] }>("settle_and_claim", { ...claim, p_outcomes: outcomes }, options);
        return { jobs, date, begun };
      } catch (error) {
        // An older server has no such function.
        if ((error as GristmillError).code === "PGRST202") this.#hasBoth = false;
        else if ((error as GristmillError).retryable || isAboutCaller(error) || outcomes.length === 0) throw error;
      }
    }
    if (outcomes.length > 0) await settle(this.rpc, this.#name, outcomes, options);
    return { jobs: ask > 0 ? await this.rpc.call("claim_jobs", claim, options) : [], date, begun };
  }

  #take(jobs: Claimed[], date: number, begun: number): void {
    for (const claimed of jobs) {
      claimed.worker = this.#name;
      const lease = leaseOf(claimed, date);
      if (lease / 6 < this.#looksEvery) this.#lookIn(lease / 6);
      const task: Task = { attempt: new Attempt(claimed, this.handlers.get(claimed.kind), this.#around, () => hashStart(spanName(claimed))), lease, until: begun + lease, since: performance.now() };
      this.#held.add(task);
      this.#waiting.push(task);
    }
    if (this.#isStopping) this.#giveBack(() => true);
    else this.#start();
  }

  // Pauses as for every call that is repeated.
  #claimLater(wait = 0): void {
    if (this.#rest || this.#isStopping) return;
    this.#trouble = Math.min(this.#trouble * 2 || 100, 30_000);
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.#plan();
    }, Math.max(this.#trouble * (1 - Math.random() / 2), wait));
  }

  #restNow(): void {
    if (this.options.stopWhenIdle && this.#held.size === 0 && this.#calls === 1) return this.stop();
    if (this.#rest || this.#isStopping) return;
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.#plan();
    }, this.#pause);
    this.#pause = Math.max(this.#firstPause, Math.min(this.#pause * 2, 5000));
  }

  // Calls are retried for as long as it may help. What arrives here was refused, or cut off by the end.
  #isRefused(error: unknown, batch: { task: Task; outcome: Outcome }[]): void {
    if (this.#cut.signal.aborted || !this.#hasClaimed) {
      this.#finish();
      if (this.#cut.signal.aborted) this.#end();
      else this.#fail(error);
      return;
    }
    console.error("Gristmill refuses this worker, which tries again:", error);
    this.#done.unshift(...batch.filter(({ task }) => this.#held.has(task)));
    this.#pause = 5000;
    this.#restNow();
  }

  #giveBack(isMeant: (task: Task) => boolean): void {
    for (const task of this.#waiting.filter(isMeant)) this.#done.push({ task, outcome: task.attempt.outcome({ outcome: "released" }) });
    this.#waiting = this.#waiting.filter((task) => !isMeant(task));
    this.#plan();
  }

  #drop(task: Task, reason: GristmillError): void {
    this.#held.delete(task);
    this.#waiting = this.#waiting.filter((one) => one !== task);
    this.#done = this.#done.filter((one) => one.task !== task);
    task.attempt.stop(reason);
    this.#plan();
  }

  #watch(): void {
    const now = performance.now();
    let every = 30_000;
    for (const task of this.#held) {
      every = Math.min(every, task.lease / 3);
      if (now > task.until) this.#drop(task, new LostLease("lost_lease", "the lease could not be extended in time"));
    }
    if (this.#waiting.some(({ since }) => now - since > MOST_WAITING_MS)) {
      // A long job has come among short ones.
      this.#average = Math.max(this.#average, MOST_WAITING_MS);
      this.#giveBack(({ since }) => now - since > MOST_WAITING_MS);
    }
    if (this.#held.size === 0) this.#lastBeat = now;
    else if (!this.#isBeating && (this.#beatSoon || now - this.#lastBeat >= every)) void this.#beat(every);
    this.#lookIn(Math.min(1000, every / 2));
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#tick);
    this.#looksEvery = ms;
    this.#tick = setTimeout(() => this.#watch(), ms);
  }

  async #beat(every: number): Promise<void> {
    this.#isBeating = true;
    this.#beatSoon = false;
    this.#lastBeat = performance.now();
    const tasks = [...this.#held];
    const logs = new Map<Task, LogLine[]>();
    try {
      for (let at = 0; at < tasks.length; at += MOST) {
        const some = tasks.slice(at, at + MOST);
        const leases = some.map((task) => {
          const { id, attempt } = task.attempt.claimed;
          const lines = task.attempt.takeLogs();
          logs.set(task, lines);
          return { id, attempt, ...(task.attempt.percent !== undefined && { progress: task.attempt.percent }), ...(lines.length > 0 && { logs: lines }) };
        });
        let begun = performance.now();
        const answers = await this.rpc.call<{ id: string; status: string }[]>("heartbeat_jobs", { p_worker: this.#name, p_leases: leases },
          { repeatable: true, patience: every, signal: this.#cut.signal, onAnswer: (_, when) => (begun = when) });
        const statuses = new Map(answers.map(({ id, status }) => [id, status]));
        for (const task of some) {
          logs.delete(task);
          if (!this.#held.has(task)) continue;
          const status = statuses.get(task.attempt.claimed.id);
          if (status === "lost") this.#drop(task, new LostLease("lost_lease", "another worker may have the job"));
          else if (status === "cancelled") this.#drop(task, new GristmillError("cancelled", "the job was cancelled"));
          else task.until = begun + task.lease;
        }
      }
    } catch (error) {
      // Lines that were refused are not sent again, or no heartbeat would ever be taken.
      if ((error as GristmillError).retryable) for (const [task, lines] of logs) task.attempt.logs.unshift(...lines);
    } finally {
      this.#isBeating = false;
    }
  }
}

/** How long a lease lasts, by the database's clock alone. Without its time: as long as the shortest that is common. */
function leaseOf({ lease_until }: Claimed, date: number): number {
  const lease = Date.parse(lease_until) - date;
  // The header has whole seconds.
  return Number.isNaN(lease) ? 30_000 : Math.max(lease - 1000, lease / 2, 100);
}
