// Programs of the older system of jobs and tasks, run as they are against a whole stack: a client, the back end that plans tasks, and workers.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { signIn, startStack, until } from "../support.mjs";
import { checkAnswer } from "./contract.mjs";
import { programFile } from "./program_file.mjs";

const options = { auth: { persistSession: false }, realtime: { transport: ws } };
let stack, service, user, stranger, anon;
before(async () => {
  stack = await startStack("contract-tasks", { parts: ["gateway", "relay", "storage", "workerd"], functions: ["workflows"] });
  service = createClient(stack.url, stack.serviceKey, options);
  anon = createClient(stack.url, stack.anonKey, options);
  const as = async (sub) => {
    const signedIn = await signIn(stack, sub);
    return { ...signedIn, client: createClient(stack.url, stack.anonKey, { ...options, accessToken: async () => signedIn.token }) };
  };
  [user, stranger] = [await as(randomUUID()), await as(randomUUID())];
  // The operator's part: jobs of this type get their tasks from the back end. A lost worker's task comes back without delay.
  await stack.postgres.query(`insert into workflow_definition (type, tasks, documents) values ('album', '[]', null);
    update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds'`);
});
after(() => stack?.destroy());

const must = async (request) => {
  const { data, error } = await request;
  assert.equal(error, null, error?.message);
  return data;
};

/** A program beside this one, and what it says, line by line. */
function run(name, env) {
  const child = spawn(process.execPath, [programFile(name)], {
    env: { PATH: process.env.PATH, SUPABASE_URL: stack.url, SUPABASE_ANON_KEY: stack.anonKey, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { lines: [], errors: "" };
  child.stdout.on("data", (text) => said.lines.push(...String(text).split("\n").filter(Boolean)));
  child.stderr.on("data", (text) => (said.errors += text));
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));
  return {
    ...said, said, child,
    line: (pattern) => until(() => said.lines.find((line) => pattern.test(line)), `${name} saying ${pattern}`, 60_000),
    end: async () => {
      const { code } = await ended;
      assert.equal(code, 0, said.errors);
      return said.lines;
    },
    kill: () => { child.kill("SIGKILL"); return ended; },
  };
}

async function begin() {
  const client = run("task-client", { USER_TOKEN: user.token, USER_ID: user.sub, JOB_TYPE: "album" });
  const [, id, status] = (await client.line(/^job /)).split(" ");
  assert.equal(status, "queued");
  const planned = JSON.parse((await run("task-planner", { JOB_ID: id }).end()).at(-1));
  assert.equal(planned.pending, 6, "select('count') counts the inserted tasks");
  assert.deepEqual(planned.inserted.map(({ status }) => status), Array(6).fill("pending"));
  return { id, client };
}

async function finished({ id, client }) {
  const { seen, artifacts, files } = JSON.parse((await client.end()).at(-1));
  assert.equal(seen.at(-1).status, "complete");
  assert.deepEqual(seen.map(({ percent }) => percent), seen.map(({ percent }) => percent).sort((a, b) => a - b), "percent never goes down");
  assert.deepEqual(artifacts.map(({ artifact_type: type }) => type), ["audio_mp3", "audio_mp3", "json", "json", "pdf", "pdf"]);
  const texts = ["About The sea, for Ada", "About The stars, for Ada"];
  const expected = texts.flatMap((text) => [["audio_mp3", `audio_mp3 of: ${text}`], ["json", JSON.stringify({ text })], ["pdf", `pdf of: ${text}`]]);
  assert.deepEqual(files.map(({ type, content }) => [type, content]).sort(), expected.sort(), "a PDF and a recording are made of the nearest text");
  const { rows } = await stack.postgres.query(`select t.state, count(*)::int from mill.task t where t.job_id = '${id}' group by 1`);
  assert.deepEqual(rows, [{ state: "completed", count: 6 }]);
}

test("K70, K71, K72, K73: a client, a back end and a task worker of the older system do a job", async () => {
  const job = await begin();
  const lines = await run("task-worker", { IDLE_ROUNDS: "5" }).end();
  assert.equal(lines.at(-1), "left 0", lines.join("\n"));
  await finished(job);
});

const POINTS = { claimed: "claimed a task", stored: "stored a file", named: "inserted its artifact" };
for (const [point, done] of Object.entries(POINTS)) {
  test(`K73: a task worker that is killed once it has ${done} is replaced by a second, which finishes the job`, async () => {
    const job = await begin();
    const first = run("task-worker", { WORKER_ID: `doomed-${point}`, PAUSE_AT: point });
    await first.line(new RegExp(`^${point} `));
    await first.kill();
    const held = await must(service.from("job_tasks").select("id, status").eq("worker_id", `doomed-${point}`));
    assert.deepEqual(held.map(({ status }) => status).sort(), point === "claimed" ? ["claimed", "claimed"] : ["claimed", "processing"]);
    // Five minutes later.
    await stack.postgres.query("update mill.job_live set lease_until = now() - interval '1 second' where worker like 'doomed%'");
    await must(service.rpc("reclaim_stale_tasks"));
    const second = run("task-worker", { WORKER_ID: "heir", IDLE_ROUNDS: "200", POLL_MS: "50" });
    await finished(job);
    await second.kill();
    for (const { id } of held) assert.equal(await must(service.rpc("complete_task", { p_task_id: id, p_worker_id: `doomed-${point}`, p_output: {} })), false, "the dead worker has lost its task");
  });
}

test("K73: claim_tasks answers every column of job_tasks", async () => {
  const { id } = await must(service.from("jobs").insert({ user_id: user.sub, type: "album", params: { reader: "Ada" }, status: "queued" }).select("id").single());
  await must(service.from("job_tasks").insert({ job_id: id, task_type: "text_generation", sequence: 1, input: { title: "x" } }));
  const claimed = await must(service.rpc("claim_tasks", { p_worker_id: "w", p_max_tasks: 1, p_task_types: null }));
  assert.equal(claimed.length, 1);
  checkAnswer("claim_tasks answer", claimed);
  assert.deepEqual(claimed[0], await must(service.from("job_tasks").select().eq("id", claimed[0].id).single()));
  assert.equal(claimed[0].status, "claimed");
  assert.equal(await must(service.rpc("fail_task", { p_task_id: claimed[0].id, p_worker_id: "w", p_error: "no luck" })), true);
  const { error } = await must(service.from("job_tasks").select("error").eq("id", claimed[0].id).single());
  assert.equal(error, "no luck");
});

test("K72: service_role replaces an object of job-artifacts until its task is complete", async () => {
  const { id } = await must(service.from("jobs").insert({ user_id: user.sub, type: "album", params: {}, status: "queued" }).select("id").single());
  const [task] = await must(service.from("job_tasks").insert({ job_id: id, task_type: "text_generation", sequence: 1, input: { title: "x" } }).select());
  await until(async () => (await must(service.rpc("claim_tasks", { p_worker_id: "w", p_max_tasks: 5 }))).some((claimed) => claimed.id === task.id), "the claim");
  const path = `${user.sub}/${id}/json/${task.id}.json`;
  const bucket = service.storage.from("job-artifacts");
  const upload = (text) => bucket.upload(path, Buffer.from(text), { contentType: "application/json", upsert: true });
  const row = { job_id: id, task_id: task.id, artifact_type: "json", storage_path: path };
  await must(upload("first"));
  await must(service.from("job_artifacts").insert(row));
  await must(upload("second"));
  await must(service.from("job_artifacts").insert({ ...row, file_size_bytes: 6 }));
  assert.equal(await must(service.rpc("complete_task", { p_task_id: task.id, p_worker_id: "w", p_output: {} })), true);
  assert.notEqual((await upload("third")).error, null, "a completed task's object is not replaced");
  assert.notEqual((await service.from("job_artifacts").insert(row)).error, null, "nor is its row");
  assert.equal(await (await must(bucket.download(path))).text(), "second");

  // The same object as others see it.
  assert.equal(await (await must(user.client.storage.from("job-artifacts").download(path))).text(), "second");
  for (const who of [stranger.client, anon]) {
    assert.notEqual((await who.storage.from("job-artifacts").download(path)).error, null);
    assert.notEqual((await who.storage.from("job-artifacts").upload(path, Buffer.from("mine"), { upsert: true })).error, null);
    assert.notEqual((await who.storage.from("job-artifacts").upload(`${user.sub}/${id}/json/new.json`, Buffer.from("mine"))).error, null);
  }
  assert.notEqual((await user.client.storage.from("job-artifacts").upload(`${user.sub}/${id}/json/own.json`, Buffer.from("mine"))).error, null, "users store no artifacts");
  const removed = await user.client.storage.from("job-artifacts").remove([path]);
  assert.ok(removed.error !== null || removed.data.length === 0);
  assert.equal(await (await must(bucket.download(path))).text(), "second");
});

test("K74: POST /api/jobs/start and GET /api/jobs/{id} answer in the compatible form, with titles", async () => {
  const started = await user.call("POST", "jobs/api/jobs/start", { body: { type: "album", params: { reader: "Ada" } } });
  assert.equal(started.status, 202, started.text);
  checkAnswer("POST /api/jobs/start", started.json);
  const { id } = started.json;
  const [task] = await must(service.from("job_tasks").insert({ job_id: id, task_type: "audio_generation", sequence: 1, input: {} }).select());
  const show = async (who = user) => who.call("GET", `jobs/api/jobs/${id}`);
  assert.deepEqual((await show()).json, { id, status: "queued", progress: { percent: 0, phase: "queued", docsComplete: 0, docsTotal: 0, message: "Queued" }, artifacts: [] });
  await until(async () => (await must(service.rpc("claim_tasks", { p_worker_id: "w" }))).some((claimed) => claimed.id === task.id), "the claim");
  const path = `${user.sub}/${id}/audio/${task.id}.mp3`;
  await must(service.storage.from("job-artifacts").upload(path, Buffer.from("sound"), { contentType: "audio/mpeg" }));
  await must(service.from("job_artifacts").insert({ job_id: id, task_id: task.id, artifact_type: "audio_mp3", storage_path: path, file_size_bytes: 5, duration_seconds: 2.5, title: "The stars" }));
  assert.equal((await show()).json.status, "processing");
  assert.equal(await must(service.rpc("complete_task", { p_task_id: task.id, p_worker_id: "w", p_output: {} })), true);
  const { json } = await show();
  checkAnswer("GET /api/jobs/{id}", json);
  assert.deepEqual({ ...json, artifacts: json.artifacts.map(({ url: _, ...rest }) => rest) },
    { id, status: "complete", progress: { percent: 100, phase: "complete", docsComplete: 0, docsTotal: 0, message: "Complete" }, artifacts: [{ type: "audio_mp3", duration: 2.5, title: "The stars" }] });
  assert.equal(await (await fetch(json.artifacts[0].url)).text(), "sound");
  assert.equal((await show(stranger)).status, 404, "another user's job looks like none");
});

test("K70, K71, K72, K73: what anon, another user and forbidden values try through supabase-js is refused and changes nothing", async () => {
  const { id } = await must(user.client.from("jobs").insert({ user_id: user.sub, type: "album", params: {}, status: "queued" }).select("id").single());
  const [task] = await must(service.from("job_tasks").insert({ job_id: id, task_type: "text_generation", sequence: 1, input: {} }).select());
  // Of this job everything, of others only how many there are: the pump brings back what other tests left.
  const everything = async () => (await stack.postgres.query(`select (select jsonb_agg(w) from mill.workflow w where w.id = '${id}') as job, (select jsonb_agg(t order by t.id) from mill.task t where t.job_id = '${id}') as tasks,
    (select jsonb_agg(j order by j.id) from mill.job j where j.parent = '${id}') as live, (select jsonb_agg(a order by a.id) from job_artifacts a where a.job_id = '${id}') as artifacts,
    (select count(*)::int from mill.workflow) as jobs, (select count(*)::int from mill.task) as count, (select count(*)::int from job_artifacts) as made`)).rows[0];
  const artifact = { job_id: id, task_id: task.id, artifact_type: "json", storage_path: `${user.sub}/${id}/json/a.json` };
  const before = await everything();
  const attempts = {
    "a job under another id": (c) => c.from("jobs").insert({ user_id: user.sub, type: "album", status: "queued" }),
    "a job that is complete": (c) => c.from("jobs").insert({ type: "album", status: "complete" }),
    "a job with progress": (c) => c.from("jobs").insert({ type: "album", progress: { percent: 100 } }),
    "an updated job": (c) => c.from("jobs").update({ status: "complete" }).eq("id", id),
    "a deleted job": (c) => c.from("jobs").delete().eq("id", id),
    "a task": (c) => c.from("job_tasks").insert({ job_id: id, task_type: "text_generation", sequence: 2, input: {} }),
    "an updated task": (c) => c.from("job_tasks").update({ status: "complete" }).eq("id", task.id),
    "an artifact": (c) => c.from("job_artifacts").insert(artifact),
    "a claim": (c) => c.rpc("claim_tasks", { p_worker_id: "me" }),
    "a heartbeat": (c) => c.rpc("heartbeat_task", { p_task_id: task.id, p_worker_id: "me" }),
    "a completion": (c) => c.rpc("complete_task", { p_task_id: task.id, p_worker_id: "me", p_output: {} }),
    "a failure": (c) => c.rpc("fail_task", { p_task_id: task.id, p_worker_id: "me", p_error: "x" }),
    "a reclaim": (c) => c.rpc("reclaim_stale_tasks"),
  };
  for (const [what, attempt] of Object.entries(attempts)) {
    for (const [name, client] of Object.entries({ anon, "another user": stranger.client, "the user": user.client })) {
      if (name === "the user" && what === "a job under another id") continue; // It is the user's own.
      const { error } = await attempt(client);
      assert.notEqual(error, null, `${what} of ${name} is refused`);
    }
  }
  for (const client of [anon, stranger.client]) {
    assert.deepEqual((await client.from("jobs").select().eq("id", id)).data ?? [], []);
    assert.deepEqual((await client.from("job_tasks").select().eq("job_id", id)).data ?? [], []);
  }
  assert.deepEqual(await everything(), before);
});
