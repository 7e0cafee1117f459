// Files and usage of the first system: programs that were written for it, with the real supabase-js, and what they may not do.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { after, before, test } from "node:test";

import { createClient } from "@supabase/supabase-js";
import ws from "ws";

import { signIn, startStack, until } from "../support.mjs";
import { checkAnswer } from "./contract.mjs";
import { programFile } from "./program_file.mjs";

const TEXT = "Patient: Ann Example\nDate: 2024-05-01\nMedication: Metformin 500 mg daily\n";
let stack, service, folder;
const query = async (sql, values) => (await stack.postgres.query(sql, values)).rows;

before(async () => {
  stack = await startStack("files", { parts: ["gateway", "relay", "storage", "workerd", "work"], functions: ["documents", "cleanup"] });
  service = createClient(stack.url, stack.serviceKey, { auth: { persistSession: false }, realtime: { transport: ws } });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-files-"));
  // A job whose worker was killed comes back at once.
  await query("update mill.queue set lease_seconds = 3 where queue in ('fast', 'ai')");
  await query("update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds'");
});
after(async () => {
  if (folder) fs.rmSync(folder, { recursive: true });
  await stack?.destroy();
});

const clientOf = (token) => createClient(stack.url, stack.anonKey, { accessToken: async () => token, realtime: { transport: ws } });

/** A user with a profile, a client and a file of its own. */
async function person(content = TEXT, name = "My scan (1).txt") {
  const user = await signIn(stack);
  const client = clientOf(user.token);
  const profile = (await client.rpc("default_profile")).data;
  const own = path.join(folder, user.sub);
  fs.mkdirSync(own);
  fs.writeFileSync(path.join(own, name), content);
  return { ...user, client, profile, file: path.join(own, name), bucket: client.storage.from("medical-docs") };
}

/** Runs a program to its end, or until it has said `killAt`, when it is killed. Answers its steps. */
async function run(program, user, env, killAt = null) {
  const child = spawn(process.execPath, [programFile(program)], {
    env: { ...process.env, SUPABASE_URL: stack.url, SUPABASE_ANON_KEY: stack.anonKey, ACCESS_TOKEN: user.token, FILE: user.file, ...env },
    stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (text) => (errors += text));
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));
  const steps = {};
  for await (const line of readline.createInterface({ input: child.stdout })) {
    const { step, ...more } = JSON.parse(line);
    steps[step] = more;
    if (step === killAt) child.kill("SIGKILL");
  }
  const { code, signal } = await ended;
  if (killAt) assert.equal(signal, "SIGKILL");
  else assert.equal(code, 0, errors);
  return steps;
}

const documentsOf = (user) => query("select id, status from public.shell_files where patient_id = $1", [user.profile]);
const file = (user, more = {}) => ({ patient_id: user.profile, filename: "a.txt", original_filename: "a.txt", file_size_bytes: 5, mime_type: "text/plain",
  storage_path: `${user.sub}/1_a.txt`, idempotency_key: randomUUID(), status: "uploaded", ...more });
const upsert = (client, row) => client.from("shell_files").upsert(row, { onConflict: "idempotency_key" }).select("id").single();
const row = async (id) => (await query("select * from public.shell_files where id = $1", [id]))[0];
const ended = (id) => until(async () => {
  const [found] = await query("select s.*, mill.tick() from public.shell_files s where s.id = $1", [id]);
  return ["completed", "failed", "refused", "infected"].includes(found.status) && found;
}, `document ${id} ending`);

test("K30: a client stores a file in medical-docs, upserts shell_files, waits, and downloads what was scanned", async () => {
  const user = await person();
  const steps = await run("upload-client", user, { IDEMPOTENCY_KEY: "My scan (1).txt-1" });
  assert.equal(steps.ended.row.status, "completed", JSON.stringify(steps.ended.row.processing_error));
  assert.equal(steps.ended.bytes, TEXT.length);
  assert.equal(steps.ended.row.mime_type, "text/plain");
  checkAnswer("track_shell_file_upload_usage", steps.tracked.usage);
  checkAnswer("get_user_usage_status", steps.ended.usage);
  assert.equal(steps.ended.usage.usage.shell_files.used, 1);
  const facts = await query("select name from public.document_facts where document_id = $1 and kind = 'medication'", [steps.registered.id]);
  assert.ok(facts.length > 0, "the file was read");
  // The unscanned object is gone; what is left is named by the row.
  const { data } = await service.storage.from("medical-docs").listV2({ prefix: `${user.sub}/` });
  assert.deepEqual(data.objects, []);
});

for (const step of ["stored", "registered"]) {
  test(`K30: a client that is killed once its file was ${step} and runs again has one document`, async () => {
    const user = await person();
    const key = `${"長い名前 ".repeat(80)}.pdf`;
    const first = await run("upload-client", user, { IDEMPOTENCY_KEY: key }, step);
    const second = await run("upload-client", user, { IDEMPOTENCY_KEY: key });
    if (first.registered) assert.equal(second.registered.id, first.registered.id);
    assert.deepEqual(await documentsOf(user), [{ id: second.registered.id, status: "completed" }]);
    assert.equal(second.ended.usage.usage.shell_files.used, 1, "one file is counted");
  });
}

test("K30: a document whose worker is killed in the middle is finished by the next worker", async () => {
  const user = await person();
  await query("update mill.queue set paused = true where queue = 'ai'");
  const program = run("upload-client", user, { IDEMPOTENCY_KEY: "killed" });
  await until(async () => (await query("select from public.shell_files where patient_id = $1 and status = 'processing'", [user.profile])).length > 0, "processing");
  await stack.parts.work.kill();
  await query("update mill.queue set paused = false where queue = 'ai'");
  await stack.restart("work");
  const ticking = setInterval(() => stack.postgres.query("select mill.tick()").catch(() => {}), 500);
  const steps = await program.finally(() => clearInterval(ticking));
  assert.equal(steps.ended.row.status, "completed", JSON.stringify(steps.ended.row.processing_error));
  assert.equal((await documentsOf(user)).length, 1);
});

for (const by of ["file", "form", "reference"]) {
  test(`K31: shell-file-processor-v3 takes a document by ${by}, and a repeat of it once`, async () => {
    const user = await person();
    const env = { BY: by, IDEMPOTENCY_KEY: `by-${by}` };
    const killed = await run("processor-client", user, env, "accepted");
    const { accepted, ended } = await run("processor-client", user, env).then((steps) => ({ accepted: steps.accepted.accepted, ended: steps.ended.row }));
    checkAnswer("shell-file-processor-v3", accepted);
    assert.equal(accepted.id, killed.accepted.accepted.id);
    assert.equal(accepted.shell_file_id, accepted.id);
    assert.equal(ended.status, "completed");
    if (by !== "file") assert.equal(ended.original_filename, "My scan (1).txt");
    assert.equal((await documentsOf(user)).length, 1);
  });
}

test("K31: a reference to another's file, to another bucket, or for another's profile is refused", async () => {
  const [user, stranger] = [await person(), await person()];
  await stranger.bucket.upload(`${stranger.sub}/1_a.txt`, new Blob(["hello"]));
  const invoke = (body) => user.client.functions.invoke("shell-file-processor-v3", { body });
  for (const body of [
    { storage_path: `${stranger.sub}/1_a.txt` },
    { storage_path: `${user.sub}/1_a.txt`, bucket: "gristmill" },
    { storage_path: `${user.sub}/1_a.txt`, patient_id: stranger.profile },
    { storage_path: `${user.sub}/1_a.txt`, file_size_bytes: -1 },
    {},
  ]) {
    const { data, error } = await invoke(body);
    assert.equal(data, null, JSON.stringify(body));
    assert.ok(error.context.status >= 400 && error.context.status < 500, `${error.context.status}`);
  }
  const nobody = await createClient(stack.url, stack.anonKey, { realtime: { transport: ws } }).functions.invoke("shell-file-processor-v3", { body: new Blob(["x"]) });
  assert.ok([401, 403].includes(nobody.error.context.status));
  assert.deepEqual(await documentsOf(user), []);
  assert.deepEqual(await documentsOf(stranger), []);
});

test("K30: users write in medical-docs below their own id alone, and read nothing that was not scanned", async () => {
  const [user, stranger] = [await person(), await person()];
  const key = `${user.sub}/${Date.now()}_My scan (2).txt`;
  assert.equal((await user.bucket.upload(key, new Blob(["hello"]))).error, null);
  assert.notEqual((await user.bucket.upload(key, new Blob(["other"]), { upsert: true })).error, null, "nothing is replaced");
  assert.notEqual((await user.bucket.download(key)).error, null, "an unscanned file is not given out");
  const anon = createClient(stack.url, stack.anonKey, { realtime: { transport: ws } }).storage.from("medical-docs");
  for (const bucket of [stranger.bucket, anon]) {
    assert.notEqual((await bucket.upload(`${user.sub}/forged.txt`, new Blob(["x"]))).error, null);
    assert.notEqual((await bucket.download(key)).error, null);
    assert.notEqual((await bucket.createSignedUrl(key, 60)).error, null);
    assert.notEqual((await bucket.remove([key])).error, null);
  }
  assert.notEqual((await user.bucket.upload("quarantine/a.txt", new Blob(["x"]))).error, null);
  assert.notEqual((await user.bucket.upload(`${user.profile}/${randomUUID()}/a.txt`, new Blob(["x"]))).error, null);
  assert.deepEqual((await user.bucket.remove([key])).error, null, "what was not registered may be removed by its owner");
});

test("K30: an upsert with values that a user may not set is refused and changes nothing", async () => {
  const [user, stranger] = [await person(), await person()];
  const before = await query("select count(*)::int as jobs from mill.job_live");
  for (const more of [{ status: "completed" }, { patient_id: stranger.profile }, { storage_path: `${stranger.sub}/1_a.txt` },
    { storage_path: `gristmill/${user.sub}/1_a.txt` }, { storage_path: `exports:${user.sub}/1_a.txt` }, { file_size_bytes: -5 }, { id: randomUUID() },
    { scanned_at: new Date().toISOString() }, { idempotency_key: "k".repeat(513) }]) {
    const { error } = await upsert(user.client, file(user, more));
    assert.notEqual(error, null, JSON.stringify(more));
  }
  const anon = createClient(stack.url, stack.anonKey, { realtime: { transport: ws } });
  assert.notEqual((await upsert(anon, file(user))).error, null);
  assert.notEqual((await upsert(stranger.client, file(user))).error, null);
  assert.deepEqual(await documentsOf(user), []);
  assert.deepEqual(await query("select count(*)::int as jobs from mill.job_live"), before);
});

test("K30: size and type are what was stored, and a file that is not stored fails its document with a reason", async () => {
  const user = await person();
  const path = `${user.sub}/${Date.now()}_a.pdf`;
  await user.bucket.upload(path, new Blob([TEXT], { type: "application/pdf" }), { contentType: "application/pdf" });
  const said = { storage_path: path, mime_type: "application/pdf", file_size_bytes: 1, filename: "a.pdf" };
  const { data } = await upsert(user.client, file(user, said));
  const found = await ended(data.id);
  assert.deepEqual([found.status, found.mime_type, Number(found.file_size_bytes)], ["completed", "text/plain", TEXT.length]);

  const { data: missing, error } = await upsert(user.client, file(user, { storage_path: `${user.sub}/nothing.pdf` }));
  assert.equal(error, null);
  const refused = await ended(missing.id);
  assert.equal(refused.status, "refused");
  assert.match(refused.processing_error.current_error.error_message, /no file is stored/);
  checkAnswer("processing_error", refused.processing_error);
});

test("K32: an error of a stage is in the row as soon as the attempt has failed, with the compatible keys", async () => {
  const user = await person();
  const key = `${user.sub}/${Date.now()}_a.txt`;
  await user.bucket.upload(key, new Blob([TEXT]));
  await stack.parts.storage.kill(); // the worker cannot read the file
  const { data } = await upsert(user.client, file(user, { storage_path: key }));
  const waiting = await until(async () => {
    const { data: seen } = await user.client.from("shell_files").select("status, processing_error").eq("id", data.id).single();
    return seen.processing_error.current_error?.next_retry_at && seen;
  }, "an error in the row").finally(() => stack.restart("storage"));
  checkAnswer("processing_error", waiting.processing_error);
  assert.equal(waiting.processing_error.current_error.error_type, "network_error");
  const found = await ended(data.id);
  assert.equal(found.status, "completed");
  assert.equal(found.processing_error.current_error, undefined);
  assert.ok(found.processing_error.error_history.every(({ resolved }) => resolved));
  checkAnswer("api_metrics", found.processing_error);
});

test("K30: an erased document takes its object in medical-docs with it", async () => {
  const user = await person();
  const key = `${user.sub}/${Date.now()}_a.txt`;
  await user.bucket.upload(key, new Blob([TEXT]));
  const { data } = await upsert(user.client, file(user, { storage_path: key }));
  const { storage_path: scanned } = await ended(data.id);
  assert.equal(await (await user.bucket.download(scanned)).data.text(), TEXT);
  assert.equal((await user.call("DELETE", `upload/v1/documents/${data.id}`)).status, 204);
  assert.notEqual((await service.storage.from("medical-docs").download(scanned)).error, null);
  assert.equal(await row(data.id), undefined);
});

test("K30: what a user stores and never registers is removed after documents.unclaimed_object_seconds", async () => {
  const user = await person();
  const keys = [`${user.sub}/left behind (1).txt`, `${user.sub}/mine.txt`];
  for (const key of keys) await user.bucket.upload(key, new Blob([TEXT]));
  const { data } = await upsert(user.client, file(user, { storage_path: keys[1] }));
  await query("update mill.settings set value = '0' where key = 'documents.unclaimed_object_seconds'");
  try {
    await query("select mill.invoke_cleanup()");
    await until(async () => (await service.storage.from("medical-docs").download(keys[0])).error !== null, "the file being removed");
  } finally {
    await query("update mill.settings set value = '86400' where key = 'documents.unclaimed_object_seconds'");
  }
  assert.equal((await ended(data.id)).status, "completed", "what a document is made of stays");
});

test("K33, K34, K35: the usage calls answer the compatible keys through PostgREST, and tracking_disabled while the flag is off", async () => {
  const user = await person();
  const asked = { p_profile_id: user.profile, p_shell_file_id: randomUUID(), p_file_size_bytes: 1000 };
  const tokens = { p_profile_id: user.profile, p_job_id: randomUUID(), p_tokens_used: 1200, p_processing_seconds: 30 };
  checkAnswer("track_shell_file_upload_usage", (await user.client.rpc("track_shell_file_upload_usage", asked)).data);
  const { data: counted } = await service.rpc("track_ai_processing_usage", tokens);
  checkAnswer("track_ai_processing_usage", counted);
  assert.deepEqual(counted, { ai_tokens_used: 1200, ai_tokens_limit: 50000, ai_processing_jobs: 1, over_limit: false });
  checkAnswer("get_user_usage_status", (await user.client.rpc("get_user_usage_status", { p_profile_id: user.profile })).data);
  assert.equal((await user.client.rpc("track_ai_processing_usage", tokens)).error.code, "42501");
  const stranger = await person();
  assert.equal((await stranger.client.rpc("get_user_usage_status", { p_profile_id: user.profile })).error.code, "42501");
  await query("update mill.settings set value = 'false' where key = 'features.usage_tracking_enabled'");
  try {
    for (const [client, name, args] of [[user.client, "track_shell_file_upload_usage", asked], [service, "track_ai_processing_usage", tokens],
      [user.client, "get_user_usage_status", { p_profile_id: user.profile }]]) {
      const { data } = await client.rpc(name, args);
      assert.deepEqual(data, { tracking_disabled: true }, name);
      checkAnswer("tracking disabled", data);
    }
  } finally {
    await query("update mill.settings set value = 'true' where key = 'features.usage_tracking_enabled'");
  }
});

test("K36: plans are read without a token, usage by its owner alone", async () => {
  const anon = createClient(stack.url, stack.anonKey, { realtime: { transport: ws } });
  const { data: plans } = await anon.from("subscription_plans").select("*").eq("is_active", true).order("sort_order");
  assert.deepEqual(plans.map(({ plan_type: plan, shell_files_limit: files }) => [plan, files]), [["free", 10], ["basic", 100], ["premium", 500], ["enterprise", null]]);
  const [user, stranger] = [await person(), await person()];
  await service.rpc("track_shell_file_upload_usage", { p_profile_id: user.profile, p_shell_file_id: randomUUID(), p_file_size_bytes: 2_500_000, p_estimated_pages: 2 });
  const { data: [month] } = await user.client.from("user_usage_tracking").select("*");
  assert.deepEqual([month.shell_files_uploaded, month.total_pages_processed, month.storage_used_mb, month.plan_type], [1, 2, 2.5, "free"]);
  assert.equal((await user.client.from("usage_events").select("*")).data[0].event_type, "shell_file_uploaded");
  for (const relation of ["user_usage_tracking", "usage_events"]) {
    assert.deepEqual((await stranger.client.from(relation).select("*").eq("profile_id", user.profile)).data, []);
    assert.notEqual((await anon.from(relation).select("*")).error, null);
    assert.notEqual((await user.client.from(relation).insert({ profile_id: user.profile })).error, null);
  }
  const upserted = await service.from("subscription_plans").upsert({ plan_type: "team", display_name: "Team", monthly_price_cents: 4999, features: { seats: 5 } }, { onConflict: "plan_type" }).select("id").single();
  assert.equal(upserted.error, null);
  assert.notEqual((await user.client.from("subscription_plans").update({ shell_files_limit: null }).eq("plan_type", "free").select("id").single()).error, null);
});
