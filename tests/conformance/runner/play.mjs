// Plays one scenario against one adapter and says what did not hold.
import { createHash } from "node:crypto";

import { Tape, isCall, openProxy } from "../../stand-ins/proxy.mjs";
import { until } from "../../support.mjs";
import { wireProblems } from "./hygiene.mjs";
import { send, signed } from "./invoker.mjs";
import { payloadOf } from "./load.mjs";
import { fill, fits, mismatches, short } from "./match.mjs";
import { Program } from "./program.mjs";

const SETTLES = ["settle_jobs", "settle_and_claim"];
const DEFAULTS = { batch: 50, seconds: 30, kinds: ["conform", "conform_two"], sign: "good" };

export class Play {
  /** `server` is the program of an invoked adapter, which serves all scenarios. */
  constructor(site, adapter, scenario, queue, server, patience) {
    Object.assign(this, { site, adapter, scenario, queue, server, patience });
    this.tape = new Tape(scenario.faults, (expected, body) => fits(fill(expected, this.names()), body), (body) => fill(body, this.names()));
    this.ids = {};
    this.invocations = {};
    this.sent = {};
    this.results = {}; // of translated jobs: what the program's own kind answers
    this.tokens = [queue];
    this.worker = null;
  }

  /** Runs the scenario. Gives a list of sentences, empty when all holds. */
  async run() {
    const { scenario, site } = this;
    try {
      // What fails stays where it can be looked at.
      await site.makeQueue(this.queue, { backoff_base_seconds: 600, backoff_jitter: 0, ...this.#servedBy(), ...scenario.queue });
      await this.#enqueue(scenario.jobs ?? {});
      for (const [at, step] of scenario.steps.entries()) {
        try {
          await this.#step(step);
        } catch (error) {
          error.message = `step ${at + 1} ${short(step, 120)}: ${error.message}`;
          throw error;
        }
      }
      await this.#expect(scenario.expect ?? {});
      return wireProblems(this.tape.calls, this.adapter);
    } catch (error) {
      return [error.message, ...(error instanceof Unmet ? [] : [error.stack])];
    } finally {
      this.tape.letAllGo();
      await this.program?.end();
      await this.proxy?.close();
    }
  }

  names() {
    const worker = this.worker ?? this.tape.calls.find(({ body }) => body?.p_worker)?.body.p_worker;
    // The span of a job's first attempt, and the trace of a job without a traceparent.
    const traces = Object.entries(this.ids).flatMap(([name, id]) => [
      [`${name}_span`, createHash("sha256").update(`${id}:1`).digest("hex").slice(0, 16)], [`${name}_trace`, id.replaceAll("-", "")]]);
    return { ...this.ids, ...Object.fromEntries(traces), ...this.invocations, queue: this.queue, worker, service_key: this.site.stack.serviceKey };
  }

  get output() {
    return (this.program ?? this.server)?.output ?? "";
  }

  #servedBy() {
    return this.adapter.mode === "invoked" ? { served_by: "function", function: "conform" } : { served_by: this.adapter.served_by ?? "external" };
  }

  async #step(step) {
    if (step.enqueue) return this.#enqueue(step.enqueue);
    if (step.run) return this.adapter.mode === "invoked" ? this.#invoke({ status: 200, ...step.run }) : this.#startWorker();
    if (step.drive) return this.#drive(step.drive);
    if (step.invoke) return this.#invoke(step.invoke);
    if (step.wake) return this.#wake(step);
    if (step.answered) return this.#answered(step.answered, step);
    if (step.until) return this.#until(step.until);
    if (step.calls) return this.#checkCalls(step.calls);
    if (step.sql) return this.#sql(step.sql);
    if (step.let_go) return this.tape.letGo(step.let_go);
    if (step.signal) return this.program.signal(step.signal);
    if (step.exited !== undefined) return this.#exited(step.exited);
    throw new Error("there is no such step");
  }

  #sql(text) {
    return this.site.query(text.replace(/\$\{(\w+)\}/g, (_, name) => `'${this.names()[name]}'`));
  }

  async #enqueue(jobs) {
    const names = Object.keys(jobs);
    if (names.length === 0) return;
    const answers = await this.site.enqueue(this.queue, names.map((name) => this.#asEnqueued(name, jobs[name])));
    answers.forEach(({ ordinal, id }) => {
      this.ids[names[ordinal]] = id;
      this.tokens.push(id);
    });
  }

  // Text and not an object: numbers that JavaScript cannot hold are kept.
  #asEnqueued(name, { kind = "conform", payload, payload_json, ...fields }) {
    const does = kind === "conform" && this.adapter.does?.[payloadOf({ payload, payload_json }).do];
    if (does) {
      const given = payloadOf({ payload, payload_json });
      this.results[name] = fill(does.result, given);
      return this.#asText(does.kind, JSON.stringify(fill(does.payload, given)), fields);
    }
    return this.#asText(kind, payload_json ?? JSON.stringify(fill(payload, this.names())), fields);
  }

  #asText(kind, payload, fields) {
    return { kind, text: `${JSON.stringify({ kind, ...fill(fields, this.names()) }).slice(0, -1)},"payload":${payload}}` };
  }

  async #startWorker() {
    if (this.program) return;
    this.proxy = await openProxy(this.site.stack.url, () => this.tape);
    this.program = new Program(this.adapter, {
      SUPABASE_URL: this.proxy.url, SUPABASE_SERVICE_ROLE_KEY: this.site.stack.serviceKey, CONFORM_QUEUE: this.queue,
      CONFORM_CONCURRENCY: String(this.scenario.concurrency ?? 10), CONFORM_DRAIN_SECONDS: String(this.scenario.drain_seconds ?? 25),
    }).start();
  }

  async #invoke({ id: name = "invocation", as, sign = DEFAULTS.sign, status, answer, extra, ...asked }) {
    if (!this.invocations[name] || name === "invocation") {
      this.invocations[name] = await this.site.makeInvocation(this.queue);
      this.tokens.push(this.invocations[name]);
    }
    const { batch, seconds, kinds } = { ...DEFAULTS, ...asked };
    const { does } = this.adapter;
    const own = does ? kinds?.filter((kind) => kind !== "conform_two").map((kind) => (kind === "conform" ? does.complete.kind : kind)) : kinds;
    const request = signed(sign, this.site.secrets, { invocation: this.invocations[name], queue: this.queue, batch, seconds, ...(own && { kinds: own }), ...extra });
    const answered = send(this.server.url, request, seconds);
    answered.catch(() => {});
    if (as) this.sent[as] = answered;
    else this.#check("the answer to the invocation", { ...(status && { status }), ...(answer && { json: answer }) }, await answered);
  }

  /** Sends the request that Postgres has signed for a job. */
  async #wake({ wake: name, status, answer }) {
    const kind = this.adapter.does?.complete.kind ?? "conform";
    const { url, headers, body } = await this.site.wakeUp(this.queue, [kind], this.ids[name]);
    const { invocation } = JSON.parse(body);
    Object.assign(this.invocations, { invocation, url });
    this.tokens.push(invocation);
    this.#check("the answer to the invocation", { ...(status && { status }), ...(answer && { json: answer }) }, await send(this.server.url, { headers, body }, 30));
  }

  async #answered(name, { status, answer }) {
    this.#check("the answer to the invocation", { ...(status && { status }), ...(answer && { json: answer }) }, await this.sent[name]);
  }

  /** Has the program run until a job is as wanted: an invoked one is invoked again and again. */
  async #drive({ job, is }) {
    if (this.adapter.mode !== "invoked") {
      await this.#startWorker();
      return this.#until({ job, is });
    }
    await until(async () => {
      await this.#invoke({ status: 200 });
      return fits(this.#translated(job, fill(is, this.names())), await this.site.job(this.ids[job]));
    }, `job ${job} being ${short(is)}`, this.patience);
  }

  async #exited(code) {
    await until(() => this.program.hasEnded, "the end of the program", this.patience);
    this.#check("the program's end", { code }, { code: this.program.process.exitCode ?? this.program.process.signalCode });
  }

  async #until({ job, is, call, count = 1, output }) {
    const what = job ? `job ${job} being ${short(is)}` : call ? `${count} calls like ${short(call)}` : `the output ${output}`;
    try {
      await until(async () => {
        if (this.program?.hasEnded && !call && !job) return this.output.includes(fill(output, this.names()));
        if (job) return fits(this.#translated(job, fill(is, this.names())), await this.site.job(this.ids[job]));
        if (call) return this.#callsLike(call).length >= count;
        return this.output.includes(fill(output, this.names()));
      }, what, this.patience);
    } catch (error) {
      const state = job ? short(await this.site.job(this.ids[job]), 600) : "";
      throw new Unmet(`${error.message}; ${state} ${this.#tapeText()} ${this.output.slice(-600)}`);
    }
  }

  async #expect({ jobs = {}, outcomes = {}, calls = [], logs = {}, rows = [] }) {
    for (const [name, expected] of Object.entries(jobs)) {
      this.#check(`job ${name}`, this.#translated(name, fill(expected, this.names())), await this.site.job(this.ids[name]));
    }
    const settled = this.tape.calls.filter(({ rpc }) => SETTLES.includes(rpc)).flatMap(({ body }) => (Array.isArray(body.p_outcomes) ? body.p_outcomes : []));
    for (const [name, expected] of Object.entries(outcomes)) {
      this.#check(`outcomes of ${name}`, fill(expected, this.names()).map((one) => this.#translated(name, one)), settled.filter(({ id }) => id === this.ids[name]));
    }
    for (const expected of calls) this.#checkCalls(expected);
    for (const { sql, are } of rows) this.#check(`what ${sql} gives`, { rows: fill(are, this.names()) }, { rows: await this.#sql(sql) });
    for (const [name, expected] of Object.entries(logs)) {
      this.#check(`log of ${name}`, { lines: fill(expected, this.names()) }, { lines: await this.site.logs(this.ids[name]) });
    }
  }

  // A program with kinds of its own answers with a result of its own.
  #translated(name, expected) {
    return this.results[name] !== undefined && "result" in expected ? { ...expected, result: this.results[name] } : expected;
  }

  #callsLike({ rpc, body, headers, answer }) {
    const names = this.names();
    return this.tape.calls.filter((call) => isCall(rpc, call)
      && (!body || fits(fill(body, names), call.body)) && (!answer || fits(fill(answer, names), call.answer)) && (!headers || fits(fill(headers, names), call.headers)));
  }

  #checkCalls({ rpc, body, headers, answer, count = { $between: [1, Infinity] }, pause_ms }) {
    const found = this.#callsLike({ rpc, body, headers, answer });
    const problems = mismatches(count, found.length, `the number of calls of ${[rpc].flat().join(" or ")}${body || headers || answer ? ` like ${short({ body, headers, answer })}` : ""}`);
    if (problems.length > 0) throw new Unmet(`${problems.join("; ")}. ${this.#tapeText()}`);
    // Between calls that ask for the same: a worker may have several lanes.
    const pauses = found.flatMap((call, at) => {
      const before = found.slice(0, at).findLast(({ text }) => text === call.text);
      return before ? [Math.round(call.begun - (before.ended ?? before.begun))] : [];
    });
    if (pause_ms && pauses.some((pause) => pause < pause_ms)) throw new Unmet(`the pauses between calls of ${rpc} were ${pauses.join(", ")} ms, expected at least ${pause_ms}`);
  }

  #check(what, expected, actual) {
    const problems = mismatches(expected, actual, what);
    if (problems.length > 0) throw new Unmet(`${problems.join("; ")}. ${this.#tapeText()}`);
  }

  #tapeText() {
    return `Calls: ${tapeText(this.tape.calls).join(" | ")}`;
  }
}

export const tapeText = (calls) => calls.map(({ rpc, body, status, fault }) => `${rpc} ${short(body, 240)} → ${status ?? "no answer"}${fault ? " (fault)" : ""}`);

class Unmet extends Error {}
