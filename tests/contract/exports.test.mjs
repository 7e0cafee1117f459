// The compatible exports (K60 to K63): the worker and the client run as programs of their own, and their SQL runs in psql as the role.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import readline from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { startStack, until } from "../support.mjs";
import { checkAnswer } from "./contract.mjs";
import { programFile } from "./program_file.mjs";

const run = promisify(execFile);
const options = { auth: { persistSession: false }, realtime: { transport: ws } };
let stack, service;
before(async () => {
  stack = await startStack("contract-exports", { parts: ["gateway", "storage"] });
  service = createClient(stack.url, stack.serviceKey, options);
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await stack?.destroy();
});

const children = [];
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;

async function person() {
  const sub = randomUUID();
  const token = await stack.token({ role: "authenticated", sub });
  return { sub, token, client: createClient(stack.url, stack.anonKey, { ...options, accessToken: async () => token }) };
}

const write = async ({ client }, title) => {
  const { data, error } = await client.from("documents").insert({ title, data: {} }).select("id").single();
  assert.equal(error, null, error?.message);
  return data.id;
};
const ask = ({ client, sub }, document_id, more = {}) => client.from("export_jobs").insert({ user_id: sub, document_id, format: "pdf", options: {}, status: "pending", ...more }).select().single();
const asked = async (user, title) => {
  const { data, error } = await ask(user, await write(user, title));
  assert.equal(error, null, error?.message);
  return data;
};
const rowOf = async (id) => {
  const { data, error } = await service.from("export_jobs").select("*").eq("id", id).single();
  assert.equal(error, null, error?.message);
  return data;
};

// A program of a user of the older system: its own process, which knows the address and keys alone.
function start(name, env) {
  const child = spawn(process.execPath, [programFile(name)],
    { env: { PATH: process.env.PATH, SUPABASE_URL: stack.url, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const said = [];
  let errors = "";
  readline.createInterface({ input: child.stdout }).on("line", (line) => said.push(JSON.parse(line)));
  child.stderr.on("data", (data) => { errors += data; });
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, said, errors })));
  return { said, ended };
}
const worker = (env) => start("export-worker", { SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, IDLE_MS: "1500", ...env });
const client = ({ sub, token }) => start("export-client", { SUPABASE_ANON_KEY: stack.anonKey, ACCESS_TOKEN: token, USER_ID: sub });
// The leases of a worker that died end now, instead of in 15 minutes.
const leasesEnd = async () => {
  await sql("update mill.job_live set lease_until = now() - interval '1 second' where queue = 'exports' and state = 'processing'");
  await sql("select mill.reclaim()");
  await sql("update mill.job_live set run_at = now() where queue = 'exports' and waits");
};

function checkSeen(seen, user) {
  checkAnswer("a row of export_jobs", seen.created);
  checkAnswer("a row of export_jobs", seen.finished);
  checkAnswer("a row of export_jobs with its document", seen.finished);
  checkAnswer("a row of export_history", seen.history);
  assert.deepEqual([seen.created.user_id, seen.created.status, seen.created.options.templateSlug], [user.sub, "pending", "modern"]);
  assert.equal(seen.active, 2);
  assert.deepEqual([seen.cancelled.status, seen.cancelled.documents.title], ["cancelled", "Cover letter"]);
  assert.notEqual(seen.cancelled.completed_at, null);
  assert.deepEqual([seen.finished.status, seen.finished.progress, seen.finished.documents.title, seen.left], ["completed", 100, "Resume", 0]);
  assert.deepEqual([seen.history.file_name, seen.history.documents.title, seen.history.id], ["Resume.pdf", "Resume", seen.created.id]);
  assert.match(seen.history.file_path, new RegExp(`^${user.sub}/${seen.created.document_id}_\\d+\\.pdf$`));
  assert.deepEqual([seen.downloaded, seen.signed], ["%PDF-1.4", "%PDF-1.4"]);
  assert.deepEqual([seen.deleted.length, seen.historyLeft], [1, 0]);
  assert.notEqual(seen.afterDelete, null, "a deleted file is closed");
}

test("K60, K61, K62, K63: the compat client and the compat worker bring an export to its end", async () => {
  const user = await person();
  const front = client(user);
  await Promise.race([front.ended, until(() => front.said.some((line) => line.waiting), "the client asking for its export")]);
  const back = worker();
  const { said, errors, code } = await front.ended;
  assert.equal(code, 0, errors);
  const { seen } = said.at(-1);
  checkSeen(seen, user);
  assert.equal(seen.byResultUrl, "%PDF-1.4", "result_url is the signed URL that the worker wrote");
  const done = await back.ended;
  assert.equal(done.code, 0, done.errors);
  assert.equal(done.errors, "");
  for (const { fetched } of done.said.filter((line) => line.fetched)) checkAnswer("a row of fetch_next_export_job", fetched);
  assert.deepEqual(await sql("select state from mill.export_file where owner = $1", [user.sub]), [{ state: "deleted" }]);
});

for (const place of ["progress", "uploaded", "completed"]) {
  test(`K61: an export whose worker is killed at "${place}" is completed once, with one history`, async () => {
    const user = await person();
    const job = await asked(user, `Killed at ${place}`);
    const killed = await worker({ DIE_AT: place }).ended;
    assert.equal(killed.signal, "SIGKILL", killed.errors);
    if (place === "completed") {
      // The history of a completed job is there without the worker's own insert.
      const { data } = await user.client.from("export_history").select("*");
      assert.equal(data.length, 1);
      assert.equal((await rowOf(job.id)).status, "completed");
      return;
    }
    assert.deepEqual(((row) => [row.status, row.progress])(await rowOf(job.id)), ["processing", 50]);
    const { data: [none] } = await service.rpc("fetch_next_export_job", { p_user_id: user.sub });
    assert.equal(none, undefined, "the lease holds while it lasts");
    await leasesEnd();
    const second = await worker().ended;
    assert.deepEqual([second.code, second.errors], [0, ""]);
    const row = await rowOf(job.id);
    assert.deepEqual([row.status, row.attempts], ["completed", 2]);
    const files = await sql("select count(*)::int as n from mill.stored_object where object like $1", [`exports:${user.sub}/%`]);
    assert.equal(files[0].n, place === "uploaded" ? 2 : 1);
    assert.equal((await user.client.from("export_history").select("id")).data.length, 1, "one history, whatever was stored");
  });
}

test("K61: a document that cannot be rendered returns with run_after and fails at its last attempt", async () => {
  const user = await person();
  const job = await asked(user, "Broken");
  const { ended } = worker();
  for (let attempt = 1; attempt <= 5; attempt++) {
    const row = await until(async () => {
      const found = await rowOf(job.id);
      return found.attempts === attempt && found.status !== "processing" && found;
    }, `attempt ${attempt} failing`);
    assert.equal(row.error_message, "the template could not be rendered");
    if (attempt === 5) {
      assert.equal(row.status, "failed");
      assert.notEqual(row.completed_at, null);
    } else {
      assert.equal(row.status, "pending");
      const wait = (Date.parse(row.run_after) - Date.now()) / 1000;
      const due = 60 * 2 ** (attempt - 1);
      assert.ok(wait > due - 10 && wait <= due, `waits ${wait} s after attempt ${attempt}`);
      await sql("update mill.job_live set run_at = now() where id = $1 and waits", [job.id]);
    }
  }
  assert.equal((await ended).code, 0);
});

test("K61: two workers at once never make the same export", async () => {
  const user = await person();
  const jobs = await Promise.all(Array.from({ length: 8 }, (_, n) => asked(user, `Number ${n}`)));
  const ended = await Promise.all([worker().ended, worker().ended, worker().ended]);
  const fetched = ended.flatMap(({ said }) => said.filter((line) => line.fetched).map((line) => line.fetched.id));
  assert.deepEqual(fetched.toSorted(), jobs.map(({ id }) => id).toSorted());
  for (const { id } of jobs) assert.equal((await rowOf(id)).status, "completed");
});

test("K61: each write that a user may not make is refused over HTTP and changes nothing", async () => {
  const [user, stranger] = [await person(), await person()];
  const job = await asked(user, "Mine");
  const before = await rowOf(job.id);
  const anon = createClient(stack.url, stack.anonKey, options);
  for (const changes of [
    { status: "completed" }, { status: "completed", progress: 100, result_url: "https://elsewhere.example/a.pdf", completed_at: new Date() }, { status: "processing" }, { status: "failed" },
    { user_id: stranger.sub }, { progress: 150 }, { progress: 50 }, { result_url: "https://elsewhere.example/a.pdf" }, { attempts: 0, max_attempts: 50 }, { locked_by: "me" },
  ]) {
    const own = await user.client.from("export_jobs").update(changes).eq("id", job.id).select();
    assert.deepEqual([own.status, own.error?.code], [403, "42501"], JSON.stringify(changes));
    assert.match(own.error.message, /may set the status of an own export to cancelled while it is pending/);
    const other = await stranger.client.from("export_jobs").update(changes).eq("id", job.id).select();
    assert.deepEqual([other.error, other.data], [null, []], "another user's update finds no row");
    assert.equal((await anon.from("export_jobs").update(changes).eq("id", job.id)).error.code, "42501");
    assert.deepEqual(await rowOf(job.id), before);
  }
  for (const [who, row] of [[user, { status: "completed" }], [user, { user_id: stranger.sub }], [user, { progress: 150 }], [user, { result_url: "https://elsewhere.example/a" }],
    [user, { attempts: -9 }], [stranger, {}]]) {
    const { error } = await ask(who, job.document_id, row);
    assert.match(error.code, /^(42501|GM050)$/, JSON.stringify(row));
  }
  assert.equal((await anon.from("export_jobs").insert({ user_id: user.sub, document_id: job.document_id })).error.code, "42501");
  assert.equal((await anon.rpc("fetch_next_export_job")).error.code, "42501");
  assert.equal((await user.client.rpc("fetch_next_export_job")).error.code, "42501");
  assert.equal((await sql("select count(*)::int as n from mill.export where owner = any ($1)", [[user.sub, stranger.sub]]))[0].n, 1);
  const cancelled = await user.client.from("export_jobs").update({ status: "cancelled", completed_at: new Date() }).eq("id", job.id).select("status, documents(title)").single();
  assert.deepEqual(cancelled.data, { status: "cancelled", documents: { title: "Mine" } });
});

test("K63: the bucket exports takes files of the service alone, and gives a file to its owner alone", async () => {
  const [user, stranger] = [await person(), await person()];
  const path = `${user.sub}/${randomUUID()}_1.pdf`;
  const file = new Blob(["%PDF-1.4 x"], { type: "application/pdf" });
  const exportsOf = (one) => one.storage.from("exports");
  assert.notEqual((await exportsOf(user.client).upload(path, file)).error, null, "a user stores nothing");
  assert.equal((await exportsOf(service).upload(path, file)).error, null);
  assert.deepEqual(await sql("select size::int, content_type from mill.stored_object where object = $1", [`exports:${path}`]), [{ size: 10, content_type: "application/pdf" }]);
  assert.equal(await (await exportsOf(user.client).download(path)).data.text(), "%PDF-1.4 x");
  for (const one of [stranger.client, createClient(stack.url, stack.anonKey, options)]) {
    assert.notEqual((await exportsOf(one).download(path)).error, null);
    assert.notEqual((await exportsOf(one).createSignedUrl(path, 60)).error, null);
    assert.deepEqual((await exportsOf(one).remove([path])).data ?? [], []);
  }
  assert.deepEqual((await exportsOf(user.client).remove([path])).data ?? [], [], "a file goes with its history");
  assert.notEqual((await service.storage.from("gristmill").download(path)).error, null, "buckets are apart");
  assert.notEqual((await service.storage.from("no-such-bucket").upload(path, file)).error, null);
  assert.equal((await exportsOf(service).remove([path])).data.length, 1);
  assert.deepEqual(await sql("select from mill.stored_object where object = $1", [`exports:${path}`]), []);
  const { error } = await user.client.from("export_history").insert({ user_id: user.sub, file_path: path, file_name: "a.pdf" });
  assert.equal(error.code, "42501", "a user writes no history");
});

test("K60, K61, K62, K63: the statements that PostgREST sends work in psql as the role", async () => {
  const user = await person();
  const document = await write(user, "By hand");
  const psql = async (role, ...statements) => {
    const claims = JSON.stringify(role === "authenticated" ? { role, sub: user.sub } : { role });
    const script = [`set role ${role}`, `select set_config('request.jwt.claims', '${claims}', false)`, ...statements];
    const { stdout } = await run(await psqlProgram(), [stack.databaseUrl, "-qAt", "-v", "ON_ERROR_STOP=1", ...script.flatMap((statement) => ["-c", statement])]);
    return stdout.trim().split("\n").at(-1);
  };
  const id = await psql("authenticated", `with s as (insert into public.export_jobs (user_id, document_id, format, options, status)
    select b.* from json_to_record('${JSON.stringify({ user_id: user.sub, document_id: document, format: "pdf", options: {}, status: "pending" })}') as b (user_id uuid, document_id uuid, format text, options jsonb, status text)
    returning *) select id from s`);
  assert.equal(await psql("authenticated", `select j.status || ' ' || d.title from public.export_jobs j left join public.documents d on d.id = j.document_id where j.id = '${id}'`), "pending By hand");
  assert.equal(await psql("service_role", `select attempts from public.fetch_next_export_job(p_user_id => '${user.sub}')`), "1");
  assert.equal(await psql("service_role", `with s as (update public.export_jobs set progress = b.progress from (select 40 as progress) b where id = '${id}' returning export_jobs.*) select progress from s`), "40");
  const path = `${user.sub}/${document}_7.pdf`;
  assert.equal((await service.storage.from("exports").upload(path, new Blob(["%PDF-1.4 y"], { type: "application/pdf" }))).error, null);
  assert.equal(await psql("service_role", `with s as (update public.export_jobs set status = 'completed', progress = 100, result_url = '${path}', file_size = 1, page_count = 1, completed_at = now()
    where id = '${id}' returning *) select status || file_size from s`), "completed10");
  assert.equal(await psql("service_role", `with s as (insert into public.export_history (user_id, document_id, file_name, file_path) values ('${user.sub}', '${document}', 'a.pdf', '${path}') returning *) select id from s`), id);
  assert.equal(await psql("authenticated", `with s as (delete from public.export_history where id = '${id}' returning *) select file_name from s`), "a.pdf");
  await assert.rejects(psql("authenticated", `update public.export_jobs set status = 'pending' where id = '${id}'`), /may set the status of an own export to cancelled/);
  await assert.rejects(psql("anon", "select * from public.export_jobs"), /permission denied/);
});

let program = null;
async function psqlProgram() {
  program ??= (await run("sh", ["-c", "command -v psql || ls /usr/lib/postgresql/*/bin/psql | tail -1"])).stdout.trim();
  return program;
}
