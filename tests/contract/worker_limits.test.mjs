// Three workers that are configured by their environment alone, each with another provider, and one request per minute allowed to each.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { imagePdf } from "../../scripts/lib/samples/pdf.mjs";
import { gristmill } from "../../sdk/local/stack/paths.mjs";
import { freePorts, isListening } from "../../sdk/local/stack/ports.mjs";
import { uploader } from "../documents.mjs";
import { isSoak, sleep, startStack, until } from "../support.mjs";

const TEXT = (n) => Buffer.from(`Patient ${n}\nMetformin 500 mg by mouth twice daily\n`);
const PAGES = isSoak ? 8 : 3;
const page = (n) => ({ width: 400, height: 400, data: Buffer.from(Array.from({ length: 160_000 }, (_, at) => (at * (n + 7)) % 251)) });
const standIn = fileURLToPath(new URL("../stand-ins/models.mjs", import.meta.url));
const PATHS = { openai: "/v1/chat/completions", anthropic: "/v1/messages", google: "/v1/images:annotate" };

let stack, user, models, url;
const workers = [];
before(async () => {
  const [port] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  models = spawn(process.execPath, [standIn, String(port)], { stdio: "ignore" });
  await until(() => isListening(port), "the stand-in listening");
  stack = await startStack("worker-limits", { parts: ["gateway", "storage", "workerd"], functions: ["documents"] });
  await stack.postgres.query("update mill.api_rate_limits set requests_per_minute = 1 where provider_name in ('openai', 'anthropic', 'google')");
  user = await uploader(stack);
});
after(async () => {
  for (const worker of workers) worker.kill("SIGKILL");
  models?.kill();
  await stack?.destroy();
});

// All have one WORKER_ID, as replicas of one deployment do.
function work(env) {
  const child = spawn(gristmill, ["work"], { stdio: ["ignore", "pipe", "pipe"], env: {
    PATH: process.env.PATH, SUPABASE_URL: stack.url, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, STORAGE: "supabase", FILES_SECRET: stack.secrets.filesSecret,
    WORKER_ID: "replica", WORKER_CONCURRENCY: "20", HEARTBEAT_INTERVAL_SECONDS: "2", WORKER_POLL: "0.2", WORKER_POLL_MAX: "1", WORKER_CLAMD: "none", ...env } });
  child.output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (child.output += chunk));
  workers.push(child);
  return child;
}
const calls = async () => {
  const all = await (await fetch(`${url}/calls`)).json();
  return Object.fromEntries(Object.entries(PATHS).map(([provider, path]) => [provider, all.filter((call) => call.path === path)]));
};
const query = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
const limitOf = { openai: "gpt-4o-mini", anthropic: "claude-3", google: "vision-api" };

test("K20: with one request per minute allowed, three workers that the environment gives a provider each make one call each, and the rest waits without using up an attempt", async () => {
  work({ WORKER_QUEUES: "ai", OPENAI_API_KEY: "key-1", OPENAI_BASE_URL: `${url}/v1` }); // the key alone selects OpenAI
  work({ WORKER_QUEUES: "ai", AI_PROVIDER: "anthropic", ANTHROPIC_API_KEY: "key-2", ANTHROPIC_BASE_URL: url });
  work({ WORKER_QUEUES: "fast", GOOGLE_CLOUD_API_KEY: "key-3", GOOGLE_VISION_URL: url });
  const scan = (await user.upload(imagePdf(Array.from({ length: PAGES }, (_, n) => page(n)), 72))).json.id;
  for (let n = 0; n < 6; n += 1) assert.equal((await user.upload(TEXT(n))).status, 202);
  await until(async () => Object.values(await calls()).every((made) => made.length > 0), "a call of every provider", 60_000);
  const first = Math.max(...Object.values(await calls()).map((made) => made[0].at));
  await until(async () => (await query("select from mill.job_live where kind = 'ai_queue_pass1'")).length >= 4, "documents waiting for a model");
  await sleep(Math.max(0, first + 8_000 - Date.now()));

  const made = await calls();
  assert.deepEqual(Object.fromEntries(Object.entries(made).map(([provider, all]) => [provider, all.length])), { openai: 1, anthropic: 1, google: 1 });
  assert.deepEqual(Object.values(made).map(([{ key }]) => key), ["Bearer key-1", "key-2", "key-3"]);

  // What was used is booked to the provider that was called, and nothing to the built-in rules, whose limit the queue of the passes names.
  const booked = await query("select provider, endpoint, sum(requests)::int as requests from mill.api_use group by 1, 2 having sum(requests) <> 0 order by 1");
  assert.deepEqual(booked.filter(({ provider }) => provider !== "builtin"), Object.entries(limitOf).sort().map(([provider, endpoint]) => ({ provider, endpoint, requests: 1 })));
  await until(async () => (await query("select coalesce(sum(requests), 0)::int as n from mill.api_use where provider = 'builtin'"))[0].n === 0, "the claims' own reservations being given back");

  const waiting = await query("select kind, state, attempt, error ->> 'type' as type from mill.job_live where kind in ('fast_queue_ocr', 'ai_queue_pass1', 'ai_queue_pass2') and state <> 'processing'");
  assert.ok(waiting.length >= 5, JSON.stringify(waiting));
  for (const job of waiting) assert.equal(job.attempt, 0, JSON.stringify(job));
  assert.ok(waiting.some(({ state, type }) => state === "deferred" && type === "rate_limited"), JSON.stringify(waiting));
  // The page that was read is kept, and not read again.
  assert.deepEqual(await query("select source, count(*)::int as pages from public.document_pages where document_id = $1 group by 1", [scan]), [{ source: "google_vision", pages: 1 }]);
  assert.deepEqual((await query("select min(rate_limit_violations) > 0 as all from mill.api_rate_limits where requests_per_minute = 1 and provider_name <> 'google' and api_endpoint <> 'gpt-4-vision'")), [{ all: true }]);
});

test("K20: replicas with one WORKER_ID work under names of their own", async () => {
  const names = (await query("select worker from mill.worker order by 1")).map(({ worker }) => worker);
  assert.equal(names.length, 3, names.join());
  for (const name of names) assert.match(name, /^replica-\w+$/);
});

test("K20: HEARTBEAT_INTERVAL_SECONDS and API_RATE_LIMIT_CHECK_ENABLED are read, and a word that says neither yes nor no is refused", async () => {
  for (const [name, value, said] of [["API_RATE_LIMIT_CHECK_ENABLED", "maybe", /API_RATE_LIMIT_CHECK_ENABLED is maybe; use true or false/], ["HEARTBEAT_INTERVAL_SECONDS", "soon", /use 0\.1 to 3600 seconds/]]) {
    const child = work({ [name]: value });
    const code = await new Promise((resolve) => child.once("exit", resolve));
    assert.notEqual(code, 0);
    assert.match(child.output, said);
  }
});

if (isSoak) {
  test("K20: over five minutes each provider is called at most once in a minute, and never not at all", { timeout: 420_000 }, async () => {
    for (let n = 6; n < 12; n += 1) await user.upload(TEXT(n));
    const begun = Math.min(...Object.values(await calls()).map((made) => made[0].at));
    await sleep(begun + 305_000 - Date.now());
    for (const [provider, made] of Object.entries(await calls())) {
      const at = made.map((call) => (call.at - made[0].at) / 1000);
      console.log(`# ${provider}: ${made.length} calls, at ${at.map((s) => s.toFixed(1)).join(", ")} s`);
      const gaps = at.slice(1).map((s, n) => s - at[n]);
      assert.ok(made.length >= 5, `${provider} was called ${made.length} times in five minutes`);
      assert.ok(gaps.every((gap) => gap > 59.5), `${provider}: ${gaps}`);
      assert.ok(gaps.every((gap) => gap < 70), `${provider}: ${gaps}`);
    }
    const [{ attempts }] = await query("select max(attempt)::int as attempts from mill.job where kind like 'ai_queue%' or kind = 'fast_queue_ocr'");
    assert.equal(attempts, 1, "no job was given a second attempt");
    const read = (await calls()).google.length;
    assert.deepEqual(await query("select count(*)::int as pages from public.document_pages where source = 'google_vision'"), [{ pages: read }], "no page was read twice");
  });
}

test("K20: a worker whose API_RATE_LIMIT_CHECK_ENABLED is false calls without asking the limit", async () => {
  const before = (await calls()).openai.length;
  work({ WORKER_QUEUES: "ai", OPENAI_API_KEY: "key-4", OPENAI_BASE_URL: `${url}/v1`, API_RATE_LIMIT_CHECK_ENABLED: "false" });
  await user.upload(TEXT(99));
  for (let n = 100; n < 104; n += 1) await user.upload(TEXT(n));
  await until(async () => (await calls()).openai.length >= before + 3, "three calls within seconds", 30_000);
  assert.ok((await calls()).openai.slice(before).filter(({ key }) => key === "Bearer key-4").length >= 2);
});

test("K20: where the queue draws on the row of the worker's own model, a claim's reservation is the call, and none is counted twice", async () => {
  for (const worker of workers) worker.kill("SIGKILL");
  await query("insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute) values ('openai', 'house-model', 2)");
  await query("update mill.queue set provider = 'openai', endpoint = 'house-model' where queue = 'ai'");
  await query("delete from mill.job_live where kind like 'ai_queue%'"); // what the others left waiting
  work({ WORKER_QUEUES: "fast", GOOGLE_CLOUD_API_KEY: "key-3", GOOGLE_VISION_URL: url });
  work({ WORKER_QUEUES: "ai", OPENAI_API_KEY: "key-5", OPENAI_BASE_URL: `${url}/v1`, AI_MODEL: "house-model-2026-01" });
  for (let n = 200; n < 204; n += 1) await user.upload(TEXT(n));
  const made = async () => (await calls()).openai.filter(({ key }) => key === "Bearer key-5").length;
  await until(async () => (await made()) >= 2, "two calls", 30_000);
  await until(async () => (await query("select from mill.job_live where kind like 'ai_queue%' and state = 'pending'")).length >= 3, "documents waiting for the model");
  await sleep(2_000);
  assert.equal(await made(), 2);
  assert.deepEqual(await query("select sum(requests)::int as requests from mill.api_use where endpoint = 'house-model'"), [{ requests: 2 }]);
});
