// A job of 200 steps in functions on real workerd, whose invocations are cut. The platform of this test stands between Postgres and workerd, and between
// workerd and the gateway. It ends each invocation at its bound, as hosted platforms do. It also cuts invocations at random: nothing that such an
// invocation says arrives any more, and Postgres sees a broken connection. In the soak each of these cuts kills the process of workerd.
//
// By default the Rust library is cut 20 times and the bound is 3 s, set by `invocation_seconds` of the queue. GRISTMILL_SOAK=1 cuts both libraries 500 times, with
// a bound of 10 s: the TypeScript library needs minutes for that.
// GRISTMILL_CUTS takes another number, GRISTMILL_SEED replays.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";

import pg from "pg";

import { isSoak, startStack, until } from "../support.mjs";
import { randomFrom } from "../engine/schemas/generate.mjs";
import { readAdapters } from "./runner/load.mjs";
import { Program } from "./runner/program.mjs";

const SEED = Number(process.env.GRISTMILL_SEED ?? (isSoak ? Date.now() % 1_000_000 : 28));
const CUTS = Number(process.env.GRISTMILL_CUTS ?? (isSoak ? 500 : 20));
const BOUND_SECONDS = isSoak ? 10 : 3;
const STEP_MS = isSoak ? 250 : 60;
const STEPS = 200;
/** The steps after this one take longer than one invocation has, and are not cut: there the library alone hands over. */
const LAST_CUT_STEP = 150;

const numbers = Array.from({ length: STEPS }, (_, at) => at + 1);
const pauses = { 50: { sleep: "a nap", seconds: 1 }, 100: { wait: "go", seconds: 86_400 }, 150: { sleep: "another nap", seconds: 1 } };
const plan = numbers.flatMap((n) => [{ step: `step ${n}`, result: { n }, milliseconds: STEP_MS }, ...(pauses[n] ? [pauses[n]] : [])]);
const chosen = isSoak ? ["typescript-workerd", "rust-edge"] : ["rust-edge"];
const columns = readAdapters().filter(({ name }) => chosen.includes(name));

let stack, pool;
const query = async (text, values) => (await pool.query(text, values)).rows;
before(async () => {
  stack = await startStack("steps-cut", { parts: ["gateway", "relay"], applications: "none" });
  pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 4 });
  pool.on("error", () => {});
  // A function that is cut so often would be left alone for a while, and its jobs would return spread over a minute.
  await query(`insert into mill.settings (key, value) values ('breaker.min_attempts', '1000000'), ('worker.reclaim_jitter_max_seconds', '0')
    on conflict (key) do update set value = excluded.value`);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

/** Between Postgres, one function and the gateway. `chance` decides after how many calls a cut comes, and whether the last call is made. */
class Platform {
  cuts = 0;
  atBound = 0;
  handovers = 0;
  /** The numbers of the steps in the order in which their results came. */
  ran = [];
  #dead = new Set();
  #silenced = new Set();
  #servers = [];

  constructor(adapter, chance) {
    this.adapter = adapter;
    this.chance = chance;
  }

  async open() {
    this.url = await this.#listen((request, response) => this.#invoke(request, response));
    this.rest = await this.#listen((request, response) => this.#call(request, response));
    await this.#start();
    this.#plan();
    return this;
  }

  async close() {
    for (const response of this.#silenced) response.destroy();
    for (const server of this.#servers) server.closeAllConnections();
    await (await this.program)?.end();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  async #listen(answer) {
    const server = http.createServer(async (request, response) => {
      response.on("error", () => {});
      request.text = Buffer.concat(await request.toArray().catch(() => [])).toString();
      await answer(request, response).catch((error) => response.destroy(error));
    });
    this.#servers.push(server);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${server.address().port}`;
  }

  #start() {
    const env = { SUPABASE_URL: this.rest, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, SUPABASE_ANON_KEY: stack.anonKey, INVOKE_SECRET: stack.secrets.invokeSecret };
    this.program = Program.serve(this.adapter, env);
    this.program.catch(() => {});
    return this.program;
  }

  // So that the cuts are spread over the steps in which they come.
  #plan() {
    const stepsPerCut = Math.max(0, LAST_CUT_STEP - (this.ran.at(-1) ?? 0)) / (CUTS - this.cuts);
    this.left = this.cuts < CUTS ? 1 + Math.floor(this.chance() * (2.5 + 2 * stepsPerCut)) : Infinity;
    this.isMade = this.chance() < 0.5;
  }

  /** What Postgres sends. */
  async #invoke(request, response) {
    const { invocation, seconds } = JSON.parse(request.text);
    assert.equal(seconds, BOUND_SECONDS);
    this.current = { worker: `edge-${invocation}`, response, control: new AbortController() };
    const { current } = this;
    const bound = setTimeout(() => {
      this.atBound++;
      this.#end(current);
    }, seconds * 1000);
    try {
      const { url } = await this.program;
      const answer = await this.#forward(url, request, current.control.signal);
      if (!this.#dead.has(current.worker)) response.writeHead(answer.status).end(answer.text);
    } catch {
      response.destroy();
    } finally {
      clearTimeout(bound);
    }
  }

  #end({ worker, response, control }) {
    this.#dead.add(worker);
    control.abort();
    response.destroy();
  }

  async #cut() {
    this.cuts++;
    this.#end(this.current);
    this.#plan();
    if (!isSoak) return;
    const running = await this.program;
    await running.end();
    await this.#start();
  }

  /** What a function calls. */
  async #call(request, response) {
    const { p_worker: worker, p_step: step, p_outcomes: outcomes = [] } = JSON.parse(request.text);
    const silence = () => this.#silenced.add(response);
    if (this.#dead.has(worker)) return silence();
    if (request.url.endsWith("/record_step")) this.ran.push(Number(step.replace("step ", "")));
    const isCut = --this.left === 0;
    if (isCut && !this.isMade) {
      silence();
      return this.#cut();
    }
    this.handovers += outcomes.filter(({ outcome }) => outcome === "released").length;
    const answer = await this.#forward(`${stack.url}${request.url}`, request);
    if (isCut) {
      silence();
      return this.#cut();
    }
    response.writeHead(answer.status, answer.headers).end(answer.text);
  }

  async #forward(url, { method, headers, text }, signal) {
    const { host, connection, "content-length": length, ...rest } = headers;
    const answer = await fetch(url, { method, headers: rest, body: text, signal });
    return { status: answer.status, headers: { "content-type": answer.headers.get("content-type") ?? "text/plain", date: answer.headers.get("date") ?? "" }, text: await answer.text() };
  }
}

assert.equal(columns.length, chosen.length, chosen.join(" and "));
for (const adapter of columns) {
  test(`${adapter.column}: a job of ${STEPS} steps with sleeps and an event in between does every step once and in order, though ${CUTS} of its invocations are cut and none has more than ${BOUND_SECONDS} s (seed ${SEED})`, async (context) => {
    const queue = adapter.name;
    const platform = await new Platform(adapter, randomFrom(SEED)).open();
    context.after(() => platform.close());
    await query(`insert into mill.queue (queue, served_by, url, batch_size, max_parallel, invocation_seconds, max_attempts, max_lease_losses)
      values ($1, 'function', $2, 5, 1, $3, 1000, 100)`, [queue, platform.url, BOUND_SECONDS]);
    await query("insert into mill.kind (kind, queue) values ('conform', $1) on conflict (kind) do update set queue = excluded.queue", [queue]);
    const [{ id }] = await query("select e.id from mill.enqueue(jsonb_build_array(jsonb_build_object('kind', 'conform', 'payload', $1::jsonb, 'max_attempts', 1000))) e",
      [{ do: "steps", plan }]);
    const row = async () => (await query("select j.state, j.worker, j.lease_until, j.result, j.error from mill.job j where j.id = $1", [id]))[0];
    const steps = async () => (await query("select public.job_steps($1) as steps", [id]))[0].steps;

    const job = await until(async () => {
      await query("select mill.pump_once()"); // Postgres's cron does so every five seconds
      const now = await row();
      if (now.state === "deferred" && (await steps()).some(({ state }) => state === "waiting")) {
        assert.deepEqual([now.worker, now.lease_until], [null, null], "a job that waits for an event is held by nobody");
        await until(async () => (await query("select from mill.invocation where queue = $1 and ended_at is null and begun_at is not null", [queue])).length === 0,
          "no invocation being held for a job that waits");
        await query("select mill.send_event($1, 'go', $2, 'once')", [id, { event: true }]);
      }
      return ["completed", "failed", "cancelled"].includes(now.state) && now;
    }, "the job ending", isSoak ? 7_200_000 : 300_000);

    const { ran, cuts, handovers, atBound } = platform;
    const [{ count }] = await query("select count(*)::int from mill.invocation where queue = $1", [queue]);
    context.diagnostic(`${count} invocations: ${cuts} were cut, ${atBound} came to their bound, ${handovers} handed over by themselves; ${ran.length - STEPS} steps ran again`);
    assert.equal(job.state, "completed", JSON.stringify(job.error));
    assert.equal(cuts, CUTS);
    assert.ok(handovers > 0, "an attempt whose time is nearly over hands the job over to the next invocation");
    const wanted = plan.map(({ step, sleep, wait }) => `${step ?? sleep ?? wait} finished`);
    assert.deepEqual((await steps()).map(({ step, state }) => `${step} ${state}`), wanted, "each step is kept once, in order");
    assert.deepEqual(job.result, plan.filter(({ sleep }) => !sleep).map(({ result }) => result ?? { event: true }), "the job ended with what was kept");
    assert.deepEqual(ran, [...ran].sort((a, b) => a - b), "no step ran after a later one");
    assert.deepEqual([...new Set(ran)], numbers, "every step ran");
  });
}
