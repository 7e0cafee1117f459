// A long-lived worker: claims jobs, runs them, settles them and claims the next in the same call.
import { Attempt, say } from "./attempt.js";
import { seconds } from "./duration.js";
import { GristmillError, LostLease } from "./errors.js";
import { hashStart } from "./hash.js";
import { byKind } from "./job.js";
import { variables } from "./rpc.js";
import { isAboutCaller, MOST, settle } from "./settle.js";
import { spanName } from "./trace.js";
// Two calls at the same time: while Postgres answers one, the other's jobs run. A third gained nothing.
const LANES = 2;
const AHEAD_MS = 100;
const MOST_WAITING_MS = 1000;
const scope = globalThis;
export async function work(rpc, handlers, options, mill, wakers) {
    const worker = new Worker(rpc, byKind(handlers), options, mill);
    const stop = () => {
        off(); // a second signal ends the process at once
        worker.stop();
    };
    const wake = () => worker.wake();
    const off = () => {
        for (const signal of ["SIGINT", "SIGTERM"])
            scope.process?.removeListener?.(signal, stop);
        options.signal?.removeEventListener("abort", stop);
        wakers.delete(wake);
    };
    if (scope.process?.on)
        for (const signal of ["SIGINT", "SIGTERM"])
            scope.process.once(signal, stop);
    options.signal?.addEventListener("abort", stop);
    wakers.add(wake);
    if (options.signal?.aborted)
        return off();
    try {
        await worker.ended;
    }
    finally {
        off();
    }
}
class Worker {
    rpc;
    handlers;
    options;
    ended;
    #name;
    #queues;
    #concurrency;
    #around;
    /** Every job whose lease this worker has: waiting, running, or not yet settled. */
    #held = new Set();
    #waiting = [];
    #running = new Set();
    #done = [];
    #calls = 0;
    /** Jobs that calls under way have asked for. */
    #asked = 0;
    /** Milliseconds that a job takes, the newest counting most. */
    #average = Infinity;
    #hasClaimed = false;
    #hasBoth = true;
    #isPlanned = false;
    #isStopping = false;
    #rest;
    #pause;
    #tick;
    #lastBeat = performance.now();
    #beatSoon = false;
    #isBeating = false;
    #cut = new AbortController();
    #drain;
    #end;
    #fail;
    constructor(rpc, handlers, options, mill) {
        this.rpc = rpc;
        this.handlers = handlers;
        this.options = options;
        this.#name = options.name ?? `${variables()["HOSTNAME"] ?? "worker"}-${scope.process?.pid ?? 0}-${crypto.randomUUID().slice(0, 8)}`;
        this.#queues = options.queues ?? [...new Set([...handlers.values()].map(({ job }) => job.queue))];
        this.#concurrency = options.concurrency ?? 10;
        if (!(this.#concurrency >= 1))
            throw new TypeError("concurrency must be 1 or more");
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
    wake() {
        clearTimeout(this.#rest);
        this.#rest = undefined;
        this.#pause = this.#firstPause;
        this.#plan();
    }
    stop() {
        if (this.#isStopping)
            return;
        this.#isStopping = true;
        clearTimeout(this.#rest);
        this.#giveBack(() => true);
        this.#drain = setTimeout(() => {
            for (const { attempt } of this.#running)
                attempt.stop(new GristmillError("shutdown", "the worker was shut down"));
            // What Postgres has not heard by then it learns when the leases end.
            this.#drain = setTimeout(() => this.#cut.abort(new GristmillError("shutdown", "the worker was shut down")), 10_000);
        }, seconds(this.options.drain ?? 25) * 1000);
        this.#plan();
    }
    // After the jobs that end in this turn, so that they are settled together.
    #plan() {
        if (this.#isPlanned)
            return;
        this.#isPlanned = true;
        const go = () => {
            this.#isPlanned = false;
            this.#go();
        };
        if (scope.setImmediate)
            scope.setImmediate(go);
        else
            setTimeout(go, 0);
    }
    get #prefetch() {
        return Math.min(this.options.prefetch ?? 500, Math.floor((this.#concurrency * AHEAD_MS) / this.#average));
    }
    #start() {
        while (this.#running.size < this.#concurrency && this.#waiting.length > 0) {
            const task = this.#waiting.shift();
            task.since = performance.now();
            this.#running.add(task);
            void task.attempt.run().then((outcome) => {
                this.#running.delete(task);
                const took = performance.now() - task.since;
                this.#average = this.#average === Infinity ? took : this.#average * 0.9 + took * 0.1;
                if (outcome && this.#held.has(task))
                    this.#done.push({ task, outcome });
                else
                    this.#held.delete(task);
                this.#start();
                this.#plan();
            });
        }
    }
    #go() {
        this.#start();
        const prefetch = this.#prefetch;
        const most = this.#concurrency + prefetch;
        while (this.#calls < LANES) {
            const free = most - this.#running.size - this.#waiting.length - this.#asked;
            const claims = !this.#isStopping && free > 0 && (!this.#rest || this.#done.length > 0);
            if (!claims && this.#done.length === 0)
                break;
            // While a call is under way, wait until another is worth its round trip.
            if (this.#calls > 0 && Math.max(free, this.#done.length) < most / 2)
                break;
            const share = prefetch > 0 ? Math.ceil(most / LANES) : most;
            void this.#exchange(this.#done.splice(0, Math.min(MOST, Math.max(share, 1))), claims ? Math.min(free, share, MOST) : 0);
        }
        this.#endIfDone();
    }
    #endIfDone() {
        if (!this.#isStopping || this.#calls > 0 || this.#held.size > 0 || this.#running.size > 0)
            return;
        this.#finish();
        this.#end();
    }
    #finish() {
        clearTimeout(this.#tick);
        clearTimeout(this.#drain);
        clearTimeout(this.#rest);
    }
    async #exchange(batch, ask) {
        this.#calls++;
        this.#asked += ask;
        try {
            const { jobs, date, begun } = await this.#settleAndClaim(batch.map(({ outcome }) => outcome), ask);
            for (const { task } of batch)
                this.#held.delete(task);
            if (ask > 0)
                this.#hasClaimed = true;
            this.#take(jobs, date, begun);
            if (jobs.length > 0)
                this.wake();
            else if (ask > 0)
                this.#restNow();
        }
        catch (error) {
            this.#isRefused(error, batch);
        }
        finally {
            this.#calls--;
            this.#asked -= ask;
            this.#plan();
        }
    }
    async #settleAndClaim(outcomes, ask) {
        let date = NaN, begun = performance.now();
        const options = {
            repeatable: true, patience: Infinity, signal: this.#cut.signal,
            onAnswer: (answer, at) => {
                date = Date.parse(answer.headers.get("date") ?? "");
                begun = at;
            },
        };
        const claim = { p_worker: this.#name, p_queues: this.#queues, p_max: ask, ...(this.options.onlyKnownKinds && { p_kinds: [...this.handlers.keys()] }) };
        if (ask > 0 && this.#hasBoth) {
            try {
                const { jobs } = await this.rpc.call("settle_and_claim", { ...claim, p_outcomes: outcomes }, options);
                return { jobs, date, begun };
            }
            catch (error) {
                // An older server has no such function.
                if (error.code === "PGRST202")
                    this.#hasBoth = false;
                else if (error.retryable || isAboutCaller(error) || outcomes.length === 0)
                    throw error;
            }
        }
        if (outcomes.length > 0)
            await settle(this.rpc, this.#name, outcomes, options);
        return { jobs: ask > 0 ? await this.rpc.call("claim_jobs", claim, options) : [], date, begun };
    }
    #take(jobs, date, begun) {
        for (const claimed of jobs) {
            const lease = leaseOf(claimed, date);
            const task = { attempt: new Attempt(claimed, this.handlers.get(claimed.kind), this.#around, () => hashStart(spanName(claimed))), lease, until: begun + lease, since: performance.now() };
            this.#held.add(task);
            this.#waiting.push(task);
        }
        if (this.#isStopping)
            this.#giveBack(() => true);
        else
            this.#start();
    }
    #restNow() {
        if (this.options.stopWhenIdle && this.#held.size === 0 && this.#calls === 1)
            return this.stop();
        if (this.#rest || this.#isStopping)
            return;
        this.#rest = setTimeout(() => {
            this.#rest = undefined;
            this.#plan();
        }, this.#pause);
        this.#pause = Math.max(this.#firstPause, Math.min(this.#pause * 2, 5000));
    }
    // Calls are retried for as long as it may help. What arrives here was refused, or cut off by the end.
    #isRefused(error, batch) {
        if (this.#cut.signal.aborted || !this.#hasClaimed) {
            this.#finish();
            if (this.#cut.signal.aborted)
                this.#end();
            else
                this.#fail(error);
            return;
        }
        console.error("Gristmill refuses this worker, which tries again:", error);
        this.#done.unshift(...batch.filter(({ task }) => this.#held.has(task)));
        this.#pause = 5000;
        this.#restNow();
    }
    #giveBack(isMeant) {
        for (const task of this.#waiting.filter(isMeant))
            this.#done.push({ task, outcome: task.attempt.outcome({ outcome: "released" }) });
        this.#waiting = this.#waiting.filter((task) => !isMeant(task));
        this.#plan();
    }
    #drop(task, reason) {
        this.#held.delete(task);
        this.#waiting = this.#waiting.filter((one) => one !== task);
        this.#done = this.#done.filter((one) => one.task !== task);
        task.attempt.stop(reason);
        this.#plan();
    }
    #watch() {
        const now = performance.now();
        let every = 30_000;
        for (const task of this.#held) {
            every = Math.min(every, task.lease / 3);
            if (now > task.until)
                this.#drop(task, new LostLease("lost_lease", "the lease could not be extended in time"));
        }
        if (this.#waiting.some(({ since }) => now - since > MOST_WAITING_MS)) {
            // A long job has come among short ones.
            this.#average = Math.max(this.#average, MOST_WAITING_MS);
            this.#giveBack(({ since }) => now - since > MOST_WAITING_MS);
        }
        if (this.#held.size === 0)
            this.#lastBeat = now;
        else if (!this.#isBeating && (this.#beatSoon || now - this.#lastBeat >= every))
            void this.#beat(every);
        this.#tick = setTimeout(() => this.#watch(), Math.min(1000, every / 2));
    }
    async #beat(every) {
        this.#isBeating = true;
        this.#beatSoon = false;
        this.#lastBeat = performance.now();
        const tasks = [...this.#held];
        const logs = new Map();
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
                const answers = await this.rpc.call("heartbeat_jobs", { p_worker: this.#name, p_leases: leases }, { repeatable: true, patience: every, signal: this.#cut.signal, onAnswer: (_, when) => (begun = when) });
                const statuses = new Map(answers.map(({ id, status }) => [id, status]));
                for (const task of some) {
                    logs.delete(task);
                    if (!this.#held.has(task))
                        continue;
                    const status = statuses.get(task.attempt.claimed.id);
                    if (status === "lost")
                        this.#drop(task, new LostLease("lost_lease", "another worker may have the job"));
                    else if (status === "cancelled")
                        this.#drop(task, new GristmillError("cancelled", "the job was cancelled"));
                    else
                        task.until = begun + task.lease;
                }
            }
        }
        catch (error) {
            // Lines that were refused are not sent again, or no heartbeat would ever be taken.
            if (error.retryable)
                for (const [task, lines] of logs)
                    task.attempt.logs.unshift(...lines);
        }
        finally {
            this.#isBeating = false;
        }
    }
}
/** How long a lease lasts, by the database's clock alone. Without its time: as long as the shortest that is common. */
function leaseOf({ lease_until }, date) {
    const lease = Date.parse(lease_until) - date;
    // The header has whole seconds.
    return Number.isNaN(lease) ? 30_000 : Math.max(lease - 1000, lease / 2, 100);
}
