// Durable steps: what a job has done is kept, so that its next attempt, invocation or worker goes on from there. Loaded when a handler asks for it.
//
// A job that sleeps, waits or is continued later ends its attempt here: the promise that its handler waits for never settles, so no catch or finally of the
// handler runs, and the attempt is given up.
import type { Attempt } from "./attempt.js";
import { seconds, type Duration } from "./duration.js";
import { GristmillError, LostLease } from "./errors.js";
import type { Mill } from "./mill.js";

interface Known {
  step: string;
  state: "finished" | "sleeping" | "waiting" | "timed_out";
  result: unknown;
}

type Answer = { status: "recorded" | "known" | "done" | "received" | "timed_out" | "suspended" | "lost"; result?: unknown; payload?: unknown };

// As Postgres gives it back.
const kept = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

export class Steps {
  #known: Promise<Map<string, Known>> | undefined;
  readonly #names = new Map<string, number>();
  /** Whether this attempt has brought the job forward. */
  #hasFinished = false;

  constructor(readonly attempt: Attempt, readonly mill: Mill) {}

  async step(name: string, run: () => unknown): Promise<unknown> {
    const step = this.#nameOf(name);
    const known = (await this.#load()).get(step);
    if (known) return known.result;
    // A step that would be cut off is left to the next attempt. The first one is not: it might never begin.
    if (this.#hasFinished && Date.now() > this.attempt.late) return this.#end(new GristmillError("continued", "the time of this attempt is nearly over"));
    const result = kept(await run());
    const answer = await this.#call("record_step", step, { p_result: result });
    this.#hasFinished = true;
    return answer.status === "known" ? answer.result : result;
  }

  async sleep(name: string, time: Duration | Date): Promise<void> {
    await this.#put("sleep_step", this.#nameOf(name), time instanceof Date ? { p_until: time.toISOString() } : { p_seconds: seconds(time) });
  }

  async waitFor(event: string, { timeout, step = event }: { timeout?: Duration; step?: string } = {}): Promise<unknown> {
    return this.#put("wait_for_event", this.#nameOf(step), { p_event: event, ...(timeout !== undefined && { p_seconds: seconds(timeout) }) });
  }

  async #put(rpc: string, step: string, more: object): Promise<unknown> {
    const known = (await this.#load()).get(step);
    if (known?.state === "finished") return known.result;
    if (known?.state === "timed_out") return undefined;
    const logs = this.attempt.takeLogs();
    const answer = await this.#call(rpc, step, { ...more, ...(logs.length > 0 && { p_logs: logs }) });
    if (answer.status === "suspended") return this.#end(new GristmillError("suspended", "the job goes on later"));
    this.attempt.logs.unshift(...logs); // not kept: the job goes on
    this.#hasFinished = true;
    return answer.status === "timed_out" ? undefined : answer.payload;
  }

  // The second "page" of a job is "page#2": so a loop may use one name.
  #nameOf(name: string): string {
    const count = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  }

  #load(): Promise<Map<string, Known>> {
    return (this.#known ??= this.mill.rpc("job_steps", { p_job: this.attempt.claimed.id }, { repeatable: true })
      .then((steps) => new Map((steps as unknown as Known[]).filter(({ state }) => state === "finished" || state === "timed_out").map((one) => [one.step, one]))));
  }

  async #call(rpc: string, step: string, more: object): Promise<Answer> {
    const { id, worker, attempt } = this.attempt.claimed;
    const answer = await this.mill.rpc(rpc, { p_job: id, p_worker: worker, p_attempt: attempt, p_step: step, ...more }, { repeatable: true }) as Answer;
    return answer.status === "lost" ? this.#end(new LostLease("lost_lease", "another worker may have the job")) : answer;
  }

  #end(reason: GristmillError): Promise<never> {
    this.attempt.stop(reason);
    return new Promise(() => {});
  }
}
