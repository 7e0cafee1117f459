// Limits say their figures; what has expired is gone, object first; a cleanup that was cut off repairs itself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, until } from "../support.mjs";
import { author, nameInBucket, objects, startExports } from "./harness.mjs";

let stack;
before(async () => (stack = await startExports("limits", { parts: ["gateway", "storage", "work", "relay", "workerd"] })));
after(() => stack?.destroy());
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
const setting = (key, value) => sql("update mill.settings set value = $2 where key = $1", [key, String(value)]);

test("a full storage is a 507 with used and limit", async () => {
  const user = await author(stack);
  const done = await user.ended((await user.order(await user.write("Large"))).id);
  await setting("exports.storage_limit_bytes", done.file.size);
  const full = await user.call("POST", "v1/exports", { body: { document_id: await user.write("One more") } });
  await setting("exports.storage_limit_bytes", 104857600);
  assert.deepEqual([full.status, full.json.code, full.json.used, full.json.limit], [507, "storage_full", done.file.size, done.file.size]);
});

test("an export that does not fit when it is made fails with a sentence", async () => {
  const user = await author(stack);
  await setting("exports.storage_limit_bytes", 100);
  const failed = await user.ended((await user.order(await user.write("Too large"))).id);
  await setting("exports.storage_limit_bytes", 104857600);
  assert.equal(failed.status, "failed");
  assert.match(failed.message, /storage is full/);
  assert.deepEqual(objects(stack).filter((key) => key.includes(failed.id)), []);
});

test("a full queue is a 429 with Retry-After", async () => {
  const user = await author(stack);
  await sql("update mill.queue set paused = true, depth_limit = 1 where queue = 'exports'");
  await user.order(await user.write("First"));
  const full = await user.call("POST", "v1/exports", { body: { document_id: await user.write("Second") } });
  await sql("update mill.queue set paused = false, depth_limit = 5000 where queue = 'exports'");
  assert.deepEqual([full.status, full.json.code, full.headers.get("retry-after")], [429, "queue_full", "30"]);
});

test("the hundred and first export of a day is a 429 until midnight", async () => {
  const user = await author(stack);
  const document = await user.write("Often");
  await sql("insert into mill.export_day (owner, day, used) values ($1, (now() at time zone 'UTC')::date, 99)", [user.sub]);
  await user.order(document);
  const over = await user.call("POST", "v1/exports", { body: { document_id: document, template: "classic" } });
  assert.deepEqual([over.status, over.json.code, over.json.used, over.json.limit], [429, "daily_limit", 100, 100]);
  const seconds = Number(over.headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 86_400, `${seconds}`);
});

test("an expired export is a 410; its object goes first, then its row, and a crash in between is repaired", async () => {
  const user = await author(stack);
  const { id } = await user.ended((await user.order(await user.write("Old"))).id);
  const [{ file_path: key }] = await sql("select file_path from mill.export_history where id = $1", [id]);
  assert.ok(objects(stack).includes(key));
  await sql("update mill.export_file set expires_at = now() - interval '1 second' where export_id = $1", [id]);
  await sql("update mill.export_history set expires_at = now() - interval '1 second' where id = $1", [id]);
  const gone = await user.call("GET", `v1/exports/${id}/download`, { redirect: "manual" });
  assert.deepEqual([gone.status, gone.json.code], [410, "expired"]);

  // Cut off after the objects were named, then after they were deleted: both times the next run finds them again.
  const named = async () => (await sql("select mill.cleanup_export_files(1000) as done"))[0].done.remove;
  assert.ok((await named()).includes(key));
  const remove = (keys) => fetch(`${stack.url}/storage/v1/object/exports`, {
    method: "DELETE", body: JSON.stringify({ prefixes: keys.map(nameInBucket) }),
    headers: { authorization: `Bearer ${stack.serviceKey}`, apikey: stack.serviceKey, "content-type": "application/json" } });
  const keys = await named();
  assert.ok(keys.includes(key));
  assert.equal((await remove(keys)).status, 200);
  assert.ok(!objects(stack).includes(key));
  assert.equal((await sql("select from mill.export_history where id = $1", [id])).length, 1);
  const again = await named();
  assert.equal((await remove(again)).status, 200); // what is not there is no error
  await sql("select mill.confirm_export_files($1)", [again]);
  assert.equal((await sql("select from mill.export_history where id = $1", [id])).length, 0);
  assert.equal((await sql("select from mill.export_file where export_id = $1", [id])).length, 0);
  assert.equal((await user.call("GET", `v1/exports/${id}/download`)).status, 410);
  const [{ n }] = await sql("select count(*)::int as n from mill.event where code = 'export_files_not_removed'");
  assert.ok(n >= 1, "what could not be deleted is an event");
});

test("a cleanup killed between the objects and the rows is completed by the next", async () => {
  const user = await author(stack);
  const { id } = await user.ended((await user.order(await user.write("Older"))).id, 60_000);
  const [{ file_path: key }] = await sql("select file_path from mill.export_history where id = $1", [id]);
  await sql("update mill.export_file set expires_at = now() - interval '1 second' where export_id = $1", [id]);
  await sql("update mill.export_history set expires_at = now() - interval '1 second' where id = $1", [id]);
  const rows = async () => [(await sql("select from mill.export_history where id = $1", [id])).length, (await sql("select from mill.export_file where export_id = $1", [id])).length];

  // Whoever holds the history's row keeps the function waiting at its last step: the objects are gone by then.
  const pool = connect(stack, 1);
  const holder = await pool.connect();
  try {
    await holder.query("begin");
    await holder.query("select from mill.export_history where id = $1 for update", [id]);
    await sql("select mill.invoke_cleanup()");
    const waits = async () => (await sql("select from pg_stat_activity where wait_event_type = 'Lock' and query like '%confirm_cleanup_step%'")).length;
    await until(waits, "the cleanup reaching the rows", 60_000);
    assert.ok(!objects(stack).includes(key), "the object is gone");
    await stack.parts.workerd.kill();
    await until(async () => (await waits()) === 0, "the gateway giving up for a caller that is gone", 60_000);
    await holder.query("rollback");
  } finally {
    holder.release();
    await pool.end();
  }
  assert.deepEqual(await rows(), [1, 1], "it was killed halfway");
  await stack.restart("workerd");
  assert.equal((await user.call("GET", `v1/exports/${id}/download`)).status, 410);

  await sql("select mill.invoke_cleanup()");
  await until(async () => (await rows()).join() === "0,0", "the next run completing it", 60_000);
  assert.ok(!objects(stack).includes(key));
  assert.equal((await user.call("GET", `v1/exports/${id}/download`)).status, 410);
});
