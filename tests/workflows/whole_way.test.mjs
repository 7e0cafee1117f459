// A workflow the whole way: started over HTTP, run by the real container worker with typst, espeak-ng and lame, watched
// over SSE, its files fetched by signed URLs and looked at by other programs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { endless, gone, press } from "../processes.mjs";
import { signIn, startStack, until } from "../support.mjs";

const run = promisify(execFile);
let stack, user, other;
before(async () => {
  stack = await startStack("workflows-e2e", { parts: ["gateway", "relay", "workerd", "storage", "work"] });
  user = await signIn(stack);
  other = await signIn(stack);
});
after(() => stack?.destroy());

const start = async (body, headers, who = user) => who.call("POST", "workflows/v1/jobs", { body, headers });
const look = async (id, who = user) => (await who.call("GET", `workflows/v1/jobs/${id}`)).json;

// Events as a browser would hear them, reconnecting with Last-Event-ID.
async function listen(id) {
  const events = [];
  let last;
  for (;;) {
    const headers = { authorization: `Bearer ${user.token}`, ...(last && { "last-event-id": last }) };
    const answer = await fetch(`${stack.url}/functions/v1/workflows/v1/jobs/${id}/events`, { headers });
    if (answer.status === 204) return events;
    assert.equal(answer.status, 200);
    for (const block of (await answer.text()).split("\n\n")) {
      const field = (name) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1];
      if (!field("data")) continue;
      last = field("id");
      events.push({ id: Number(last), event: field("event"), ...JSON.parse(field("data")) });
    }
    if (["completed", "failed", "cancelled"].includes(events.at(-1)?.event)) return events;
  }
}

test("nuclear_v2 makes sixteen documents, each as text, PDF and MP3, and a book of them, and says how far it is", async (t) => {
  const begun = performance.now();
  const started = await start({ type: "nuclear_v2", params: { person1: { name: "Grace", born: "1906-12-09" } } });
  assert.equal(started.status, 202, started.text);
  const events = await listen(started.json.id);
  const seconds = (performance.now() - begun) / 1000;
  t.diagnostic(`nuclear_v2 took ${seconds.toFixed(1)} s`);

  const percents = events.map(({ progress }) => progress.percent);
  assert.deepEqual(percents, [...percents].sort((a, b) => a - b), "percent never goes down");
  const phases = ["queued", "calculating", "text", "pdf", "audio", "finalizing", "complete"];
  const seen = events.map(({ progress }) => phases.indexOf(progress.phase));
  assert.deepEqual(seen, [...seen].sort((a, b) => a - b), "nor do the phases");
  assert.ok(new Set(seen).size >= 4, `${new Set(seen).size} phases were seen`);
  assert.equal(events.at(-1).event, "completed");
  assert.equal(events.at(-1).progress.docs_complete, 16);

  const job = await look(started.json.id);
  assert.equal(job.tasks.length, 50);
  const count = (type) => job.artifacts.filter((artifact) => artifact.type === type).length;
  assert.deepEqual([count("json"), count("pdf"), count("audio_mp3")], [18, 17, 16]);
  for (const artifact of job.artifacts) await checkFile(artifact);

  const texts = await Promise.all(job.artifacts.filter(({ type }) => type === "json").map(async ({ url }) => (await fetch(url)).text()));
  assert.equal(new Set(texts).size, 18, "no two are alike");
  assert.ok(texts.every((text) => text.includes("Grace")));
  await bookIsOfAllChapters(job);
  await pollingCostsNoUrls(job);
  const older = (await user.call("GET", `jobs/api/jobs/${started.json.id}`)).json;
  assert.deepEqual(Object.keys(older), ["id", "status", "progress", "artifacts"]);
  assert.deepEqual(Object.keys(older.progress), ["percent", "phase", "docsComplete", "docsTotal", "message"]);
  assert.deepEqual(Object.keys(older.artifacts[0]), ["type", "url", "duration", "title"]);
  assert.equal(older.status, "complete");
  await strangersReachNothing(job);
});

const wordsOf = (text) => text.split(/\s+/).filter(Boolean).length;

// full_nuclear.pdf and full_nuclear.json have every chapter, in their order, with the texts that lie in storage.
async function bookIsOfAllChapters(job) {
  const { rows } = await stack.postgres.query("select title, artifact_type, storage_path from job_artifacts where job_id = $1 and storage_path like '%/full\\_nuclear.%' order by 2", [job.id]);
  assert.deepEqual(rows.map(({ artifact_type: type, storage_path: path }) => [type, path]),
    [["json", `${user.sub}/${job.id}/json/full_nuclear.json`], ["pdf", `${user.sub}/${job.id}/pdf/full_nuclear.pdf`]]);
  const title = "Grace and Charles Babbage: the whole reading";
  assert.deepEqual(rows.map((row) => row.title), [title, title]);
  const whole = (type) => job.artifacts.find((artifact) => artifact.type === type && artifact.title === title);
  const book = await (await fetch(whole("json").url)).json();
  assert.equal(book.title, title);
  assert.equal(book.documents.length, 16);
  const sentences = new Set();
  for (const { title, sections, files } of book.documents) {
    assert.deepEqual(files.map(({ type }) => type), ["json", "pdf", "audio_mp3"]);
    const text = sections.map((section) => section.text).join(" ");
    assert.ok(wordsOf(text) >= 450 && wordsOf(text) <= 1000, `${title} has ${wordsOf(text)} words`);
    assert.match(`${title} ${text}`, /Grace|Charles/);
    for (const sentence of text.split(/(?<=[.?!])\s+/)) {
      assert.ok(!sentences.has(sentence), `"${sentence}" stands twice`);
      sentences.add(sentence);
    }
  }
  const file = path.join(stack.folder, `${whole("pdf").id}`);
  const { stdout } = await run("pdftotext", ["-layout", file, "-"], { maxBuffer: 1 << 24 });
  for (const { title } of book.documents) assert.ok(stdout.replace(/\s+/g, " ").includes(title), `${title} is in the book`);
  assert.ok(Number(/^Pages: +(\d+)/m.exec((await run("pdfinfo", [file])).stdout)[1]) >= 18, "a title page, the contents, and a page or two for each chapter");
  for (const { id } of [whole("pdf"), job.artifacts.find(({ type, title: other }) => type === "pdf" && other !== title)]) {
    assert.match(fs.readFileSync(path.join(stack.folder, id)).toString("latin1"), /pdfaid:part/, "PDF/A says so in its metadata");
  }
}

// A poller that has seen the job gets an empty 304, for which nothing is signed.
async function pollingCostsNoUrls(job) {
  for (const route of [`workflows/v1/jobs/${job.id}`, `jobs/api/jobs/${job.id}`]) {
    const url = `${stack.url}/functions/v1/${route}`;
    const headers = { authorization: `Bearer ${user.token}` };
    const tag = (await fetch(url, { headers })).headers.get("etag");
    assert.match(tag, /^"[0-9a-f]+"$/, route);
    const again = await fetch(url, { headers: { ...headers, "if-none-match": tag } });
    // The tag changes with the half-life of the URLs, which may fall between the two calls.
    if (again.status !== 304) assert.notEqual(again.headers.get("etag"), tag, route);
    else assert.equal(await again.text(), "", route);
  }
}

test("one system makes four documents, whose sound is M4A where that is asked for", async () => {
  const params = { systems: ["numerology"], audio: "m4a", person1: { name: "Grace Hopper", born: "1906-12-09" } };
  const { status, json: { id } } = await start({ type: "nuclear_v2", params });
  assert.equal(status, 202);
  const job = await until(async () => { const job = await look(id); return ["completed", "failed"].includes(job.status) && job; }, "the workflow ending", 180_000);
  assert.equal(job.status, "completed", JSON.stringify(job.error));
  const heard = job.artifacts.filter(({ type }) => type === "audio_m4a");
  assert.equal(heard.length, 4);
  const bytes = Buffer.from(await (await fetch(heard[0].url)).arrayBuffer());
  assert.equal(bytes.toString("latin1", 4, 8), "ftyp", "an MPEG-4 file");
  assert.ok(heard[0].duration > 10);
});

async function checkFile(artifact) {
  const answer = await fetch(artifact.url);
  assert.equal(answer.status, 200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(bytes.length, artifact.bytes);
  assert.equal(createHash("sha256").update(bytes).digest("hex"), artifact.sha256);
  const file = path.join(stack.folder, `${artifact.id}`);
  fs.writeFileSync(file, bytes);
  if (artifact.type === "pdf") assert.match((await run("pdfinfo", [file])).stdout, /^Pages: +[1-9]/m);
  if (artifact.type === "json") JSON.parse(bytes.toString());
  if (artifact.type === "audio_mp3") {
    assert.ok(artifact.duration > 10, `${artifact.duration} s`);
    assert.ok(Math.abs(secondsOfMp3(bytes) - artifact.duration) < 0.3, `${secondsOfMp3(bytes)} s, said to be ${artifact.duration} s`);
  }
}

// Walks the frames from the first to the last, each of which must be layer III at 128 kbit/s and begin where the one before ends.
function secondsOfMp3(bytes) {
  let at = 0;
  let seconds = 0;
  if (bytes.toString("latin1", 0, 3) === "ID3") at = 10 + ((bytes[6] << 21) | (bytes[7] << 14) | (bytes[8] << 7) | bytes[9]);
  while (at + 4 <= bytes.length && bytes.toString("latin1", at, at + 3) !== "TAG") {
    const header = bytes.readUInt32BE(at);
    assert.equal(header >>> 21, 0x7ff, `no frame at byte ${at}`);
    const isVersion1 = ((header >>> 19) & 3) === 3;
    assert.equal((header >>> 17) & 3, 1, "layer III");
    assert.equal((isVersion1 ? [, 32, 40, 48, 56, 64, 80, 96, 112, 128] : [, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128])[(header >>> 12) & 15], 128);
    const rate = [44_100, 48_000, 32_000][(header >>> 10) & 3] / (isVersion1 ? 1 : 2);
    const samples = isVersion1 ? 1152 : 576;
    at += Math.floor((samples / 8) * 128_000 / rate) + ((header >>> 9) & 1);
    seconds += samples / rate;
  }
  return seconds;
}

// Another user, and nobody: by id, by the tables, by the path, by another's signature.
async function strangersReachNothing(job) {
  const unknown = await other.call("GET", `workflows/v1/jobs/${randomUUID()}`);
  for (const [method, rest] of [["GET", ""], ["GET", "/events"], ["DELETE", ""], ["POST", "/retry"]]) {
    const answer = await other.call(method, `workflows/v1/jobs/${job.id}${rest}`);
    assert.equal(answer.status, 404, `${method} ${rest}`);
    assert.deepEqual({ ...answer.json, correlation_id: "" }, { ...unknown.json, correlation_id: "" });
  }
  const headers = { apikey: stack.anonKey, authorization: `Bearer ${other.token}` };
  for (const table of ["jobs", "job_tasks", "job_artifacts"]) {
    assert.deepEqual(await (await fetch(`${stack.url}/rest/v1/${table}?select=*`, { headers })).json(), []);
  }
  for (const rpc of ["claim_tasks", "complete_task"]) {
    const answer = await fetch(`${stack.url}/rest/v1/rpc/${rpc}`, { method: "POST", headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(rpc === "claim_tasks" ? { p_worker_id: "me" } : { p_task_id: job.tasks[0].id, p_worker_id: "me", p_output: {} }) });
    assert.equal(answer.status, 403);
  }
  // Texts lie in the bucket gristmill, everything else in job-artifacts.
  const { rows: [text, list] } = await stack.postgres.query("select distinct on (bucket) bucket || '/' || storage_path as place from job_artifacts order by bucket");
  for (const address of [text.place, list.place].flatMap((place) => [`object/${place}`, `object/authenticated/${place}`, `object/public/${place}`,
    `object/sign/${place}`, `object/sign/${place}?token=${new URL(job.artifacts[0].url).searchParams.get("token")}x`])) {
    for (const init of [{ headers }, {}, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: '{"expiresIn": 60}' }]) {
      const answer = await fetch(`${stack.url}/storage/v1/${address}`, init);
      assert.ok(answer.status >= 400, `${init.method ?? "GET"} ${address} answered ${answer.status}`);
    }
  }
}

test("a workflow of functions needs no worker, and an idempotency key starts it once", async () => {
  const body = { type: "echo", params: { message: "over HTTP" } };
  const key = { "idempotency-key": "k1" };
  const [first, second] = [await start(body, key), await start(body, key)];
  assert.equal(first.json.id, second.json.id);
  assert.deepEqual([first.json.new, second.json.new], [true, false]);
  const reused = await start({ type: "echo", params: { message: "else" } }, key);
  assert.deepEqual([reused.status, reused.json.code], [422, "other_body"]);
  const job = await until(async () => { const job = await look(first.json.id); return job.status === "completed" && job; }, "echo");
  assert.deepEqual(job.output, { repeat: { echo: { message: "Heard: over HTTP" } } });
  const listed = await user.call("GET", "workflows/v1/jobs?limit=1");
  assert.equal(listed.json[0].id, first.json.id);
});

test("the compatible route starts a job", async () => {
  const started = await user.call("POST", "jobs/api/jobs/start", { body: { type: "echo" } });
  assert.equal(started.status, 202);
});

test("what cannot be started is refused by name", async () => {
  for (const [body, status, code, field] of [
    [{ type: "nope" }, 422, "unknown_kind", "type"], [{ type: "echo", params: [] }, 400, "invalid_field", "params"],
    [{ type: "echo", colour: 1 }, 400, "invalid_field", "colour"], [{}, 400, "invalid_field", "type"],
    [{ type: "nuclear_v2", params: { person1: { name: "No date", born: "never" } } }, 422, "unfit_params", "params.person1.born"],
    [{ type: "nuclear_v2", params: { systems: ["tarot"] } }, 422, "unfit_params", "params.systems.0"],
    [{ type: "echo", params: { a: "x".repeat(70_000) } }, 400, "invalid_field", "params"]]) {
    const answer = await start(body);
    assert.deepEqual([answer.status, answer.json.code, answer.json.field], [status, code, field]);
  }
});

test("a failed job is resumed over HTTP, a running one is cancelled", async () => {
  const bad = await start({ type: "nuclear_v2", params: { person1: { name: "No zone", born: "1990-01-01", time: "10:00", zone: "Mars/Olympus" } } });
  const failed = await until(async () => { const job = await look(bad.json.id); return job.status === "failed" && job; }, "the failure");
  assert.equal(failed.error.task, "calculating");
  assert.equal((await user.call("DELETE", `workflows/v1/jobs/${bad.json.id}`)).status, 409);
  await stack.postgres.query("update mill.queue set paused = true where queue = 'workflows'");
  const resumed = await user.call("POST", `workflows/v1/jobs/${bad.json.id}/retry`);
  assert.equal(resumed.status, 202);
  assert.equal((await user.call("POST", `workflows/v1/jobs/${bad.json.id}/retry`)).json.code, "wrong_state");
  const cancelled = await user.call("DELETE", `workflows/v1/jobs/${bad.json.id}`);
  assert.deepEqual([cancelled.status, cancelled.json.status, cancelled.json.cancelled], [200, "cancelled", 50]);
  await stack.postgres.query("update mill.queue set paused = false where queue = 'workflows'");
});

// A workflow of one task, which sets a text that lies in storage.
async function setText(name, text) {
  const tasks = [{ key: "pdf", kind: "pdf_generation", input: { user: "{{job.user}}", job: "{{job.id}}", task: "{{task.id}}", text: "{{params.text}}" } }];
  await stack.postgres.query("insert into public.workflow_definition (type, tasks) values ('set_text', $1) on conflict do nothing", [JSON.stringify(tasks)]);
  const key = `${user.sub}/texts/${name}.json`;
  const stored = await fetch(`${stack.url}/storage/v1/object/gristmill/${key}`, { method: "POST", body: JSON.stringify(text),
    headers: { authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/json" } });
  assert.equal(stored.status, 200, await stored.text());
  const started = await start({ type: "set_text", params: { text: key } });
  assert.equal(started.status, 202, started.text);
  return started.json.id;
}

test("pages are set in a child of the worker, which is killed when the workflow is cancelled", async () => {
  const sections = Array.from({ length: 5 }, () => ({ title: "Slow", text: endless }));
  const id = await setText("slow", { title: "Slow", author: "A", sections });
  const child = await press(stack.parts.work.pid);
  const cancelled = await user.call("DELETE", `workflows/v1/jobs/${id}`);
  assert.equal(cancelled.status, 200, cancelled.text);
  await gone(child);
});

test("a text with a field that is too long fails at the first attempt, with the name of the field", async () => {
  const id = await setText("long", { title: "Long", author: "A", sections: [{ title: "One", text: "word ".repeat(30_000) }] });
  const failed = await until(async () => { const job = await look(id); return job.status === "failed" && job; }, "the failure");
  assert.match(failed.error.message, /the field sections\[0\]\.text has 1\d{5} characters, at most 100000 can be set/);
  const { rows: [{ attempt }] } = await stack.postgres.query("select attempt from mill.job where parent = $1", [id]);
  assert.equal(attempt, 1);
});
