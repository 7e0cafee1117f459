// What must hold while many do it at once: three running for a user, one end for a cancelled export, one poll for all
// listeners of a stream, flat memory for a large ZIP. GRISTMILL_SOAK=1 has the large counts.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";

import { gristmill } from "../../sdk/local/stack/paths.mjs";
import { isSoak, sleep, until } from "../support.mjs";
import { author, countPolls, nameInBucket, objects, readEvents, startExports } from "./harness.mjs";

let stack;
before(async () => {
  stack = await startExports("races", { parts: ["gateway", "storage", "workerd"] });
  await sql("update mill.settings set value = '100000' where key = 'exports.daily_limit'");
});
after(() => stack?.destroy());
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;

// Workers beside the stack's own parts, stopped by id.
async function withWorkers(count, work) {
  const workers = Array.from({ length: count }, (_, at) => spawn(gristmill, ["work", "--poll", "0.05", "--poll-max", "0.1", "--heartbeat", "1", "--worker-id", `race-${at}`], {
    env: { ...process.env, SUPABASE_URL: stack.url, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, RUST_LOG: "error" }, stdio: "ignore" }));
  try {
    return await work(workers);
  } finally {
    await Promise.all(workers.map((worker) => new Promise((resolve) => {
      if (worker.exitCode !== null) return resolve();
      worker.once("exit", resolve);
      worker.kill("SIGTERM");
    })));
  }
}

test("never more than three exports of a user run, and all of them finish", async (t) => {
  const [users, each, workers] = isSoak ? [20, 20, 8] : [4, 8, 3];
  // The ledger: what began and what ended, at the instant it did, written by nobody but this.
  await sql("create table public.ledger (n bigint generated always as identity, at timestamptz, owner uuid, change int)");
  await sql(`create function public.keep_ledger() returns trigger language plpgsql security definer as $$
    begin
      insert into public.ledger (at, owner, change) values (clock_timestamp(), old.owner, case tg_op when 'DELETE' then -1 else 1 end);
      return null;
    end $$`);
  await sql(`create trigger ledger_begun after update on mill.job_live for each row
    when (old.state <> 'processing' and new.state = 'processing') execute function public.keep_ledger()`);
  await sql("create trigger ledger_ended after delete on mill.job_live for each row when (old.state = 'processing') execute function public.keep_ledger()");
  const people = await Promise.all(Array.from({ length: users }, () => author(stack)));
  await Promise.all(people.map(async (user) => {
    for (let n = 0; n < each; n++) await user.order(await user.write(`Document ${n}`));
  }));
  await withWorkers(workers, () => until(async () => (await sql("select from mill.job_live limit 1")).length === 0, "the last export", 300_000));
  const [{ done }] = await sql("select count(*)::int as done from mill.export_history");
  assert.equal(done, users * each);
  const [{ most, highest }] = await sql(`
    select max(running)::int as most, max(total)::int as highest from (
      select sum(change) over (partition by owner order by at, n) as running, sum(change) over (order by at, n) as total from public.ledger) l`);
  const by = await sql("select worker, count(*)::int as n from mill.job where queue = 'exports' group by worker order by worker");
  t.diagnostic(`${done} exports by ${by.length} workers; at most ${most} of one user and ${highest} in all ran at once`);
  assert.equal(most, 3);
  await sql("drop trigger ledger_begun on mill.job_live; drop trigger ledger_ended on mill.job_live; drop table public.ledger");
});

test("cancelling races completing: each export has one end, and no object is left without a row", async (t) => {
  const count = isSoak ? 1000 : 50;
  const user = await author(stack);
  const document = await user.write("Contested");
  const ends = { completed: 0, cancelled: 0 };
  await withWorkers(2, async () => {
    for (let n = 0; n < count; n++) {
      const { id } = await user.order(document);
      await until(async () => (await sql("select progress from mill.job_live where id = $1", [id])).every(({ progress }) => progress >= [25, 50, 75, 90, 90][n % 5]), "progress");
      const answer = await user.call("DELETE", `v1/exports/${id}`);
      const { status } = await user.ended(id);
      ends[status]++;
      if (answer.status === 409) assert.equal(status, "completed");
      else assert.deepEqual([answer.status, status], [200, "cancelled"]);
      const { events } = await readEvents(await user.open(`v1/exports/${id}/events`));
      assert.deepEqual(events.filter(({ event }) => event !== "progress").map(({ event }) => event), [status]);
      assert.equal((await sql("select from mill.export_history where id = $1", [id])).length, status === "completed" ? 1 : 0);
    }
  });
  t.diagnostic(`of ${count} races ${ends.completed} completed and ${ends.cancelled} were cancelled`);
  assert.ok(ends.cancelled > 0);

  await sql("update mill.settings set value = '0' where key = 'exports.abandoned_after_seconds'");
  const [{ done: { remove: keys } }] = await sql("select mill.cleanup_export_files(100000) as done");
  await fetch(`${stack.url}/storage/v1/object/exports`, { method: "DELETE", body: JSON.stringify({ prefixes: keys.map(nameInBucket) }),
    headers: { authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/json" } });
  await sql("select mill.confirm_export_files($1)", [keys]);
  const rows = (await sql("select path from mill.export_file")).map(({ path: key }) => key).sort();
  assert.deepEqual(objects(stack).sort(), rows);
});

test("two hundred listeners of one export cost as many polls as one", async (t) => {
  const listeners = isSoak ? 200 : 60;
  const user = await author(stack);
  const { id } = await user.order(await user.write("Popular")); // no worker runs: it waits
  const polls = await countPolls(stack);
  const streams = Array.from({ length: listeners }, () => user.open(`v1/exports/${id}/events`).then((answer) => readEvents(answer)));
  await sleep(isSoak ? 20_000 : 5_000); // the time is the point: polls of this long are counted
  const n = await polls();
  await user.call("DELETE", `v1/exports/${id}`);
  for (const { events } of await Promise.all(streams)) {
    assert.deepEqual(events.map(({ event }) => event), ["progress", "cancelled"]);
  }
  t.diagnostic(`${listeners} listeners cost ${n} RPCs in ${isSoak ? 20 : 5} s`);
  assert.ok(n <= 25, `${n} RPCs`);
});

test("a ZIP of ten files of 20 MB is streamed: workerd's memory stays flat", async (t) => {
  const [files, size] = [10, 20 << 20];
  const user = await author(stack);
  const document_ids = [];
  for (let n = 0; n < files; n++) document_ids.push(await user.write(`Large ${n}`));
  const { json: batch } = await user.call("POST", "v1/exports/batch", { body: { document_ids } });
  await withWorkers(1, () => Promise.all(batch.exports.map(({ id }) => user.ended(id))));
  // The PDFs are replaced by large ones, in the store itself.
  const rows = await sql("select path from mill.export_file where export_id = any ($1::uuid[])", [batch.exports.map(({ id }) => id)]);
  for (const { path: key } of rows) {
    const stored = await fetch(`${stack.url}/storage/v1/object/exports/${nameInBucket(key)}`, { method: "POST", body: Buffer.alloc(size, `${key} `),
      headers: { authorization: `Bearer ${stack.serviceKey}`, "content-type": "application/pdf", "x-upsert": "true" } });
    assert.equal(stored.status, 200, await stored.text());
  }
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-zip-"));
  try {
    const zip = path.join(scratch, "large.zip");
    const pid = workerdOf(stack.parts.workerd.pid);
    const before = resident(pid);
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, resident(pid))), 20);
    const answer = await new Promise((resolve, reject) => http.get(`${stack.url}/functions/v1/export/v1/exports/batch/${batch.id}.zip`,
      { headers: { authorization: `Bearer ${user.token}` } }, resolve).on("error", reject));
    assert.equal(answer.statusCode, 200);
    await pipeline(answer, fs.createWriteStream(zip));
    clearInterval(watch);
    t.diagnostic(`${((files * size) / 1e6).toFixed(0)} MB streamed; workerd grew from ${mb(before)} to at most ${mb(most)} MB`);
    assert.match(execFileSync("unzip", ["-t", zip], { encoding: "utf8" }), /No errors detected/);
    execFileSync("python3", ["-c", "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None and len(z.namelist()) == int(sys.argv[2])", zip, String(files)]);
    assert.ok(most - before < files * size / 2, "the ZIP was not held in memory");
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
});

const mb = (bytes) => (bytes / 1e6).toFixed(0);
const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
// Miniflare runs workerd as a child of the part's own process.
const workerdOf = (pid) => Number(execFileSync("ps", ["-o", "pid=,comm=", "--ppid", String(pid)], { encoding: "utf8" })
  .split("\n").find((line) => line.includes("workerd")).trim().split(/\s+/)[0]);
