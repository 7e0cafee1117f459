// An upload, and an erasure, that is cut off at each of its steps. Whatever dies, and whenever: after a sweep there is
// neither an object without a row nor a row without an object.
//
//   begin │ the object is sent │ the object is stored │ finish │ answer
//
// Steps are held open by what the step itself waits for, never by time: a body that does not end, a storage server
// that is stopped, a row that is locked.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { after, before, describe, test } from "node:test";

import { random } from "../../scripts/lib/samples/image.mjs";
import { mismatches, objects, sweep, uploader } from "../documents.mjs";
import { connect, isSoak, sleep, startStack, until } from "../support.mjs";

const TEXT = "Patient: Ann Lee    DOB: 01/22/1970\nGlucose 142 mg/dL 70 - 99 H\n";
const PATIENCE = 120_000;
const SEED = Number(process.env.GRISTMILL_SEED ?? Date.now() % 100_000);

describe("an upload that is cut off", () => {
  let stack, user, pool;
  before(async () => {
    stack = await startStack("document-crashes", { parts: ["gateway", "storage", "workerd", "work"], functions: ["documents"] });
    user = await uploader(stack);
    pool = connect(stack, 5);
  });
  after(async () => {
    await pool?.end().catch(() => {});
    await stack?.destroy();
  });
  const query = async (sql, values) => (await stack.postgres.query(sql, values)).rows;
  const signal = (part, name) => process.kill(-stack.parts[part].pid, name);
  const unfinished = () => fs.readdirSync(`${stack.folder}/storage/unfinished`).length;
  const status = async (key) => (await query("select id, status from public.shell_files where idempotency_key = patient_id || ':' || $1", [key]))[0];

  // A body that has begun and ends when it is told to.
  function opened() {
    let end;
    const ending = new Promise((resolve) => (end = resolve));
    const body = new ReadableStream({ async start(controller) {
      controller.enqueue(Buffer.from(TEXT.repeat(40)));
      await ending;
      controller.enqueue(Buffer.from(TEXT));
      controller.close();
    } });
    return { body, end };
  }
  const sending = (body, key) => user.api("POST", "", { body, duplex: "half", headers: { "idempotency-key": key } })
    .catch((error) => ({ status: 0, error }));
  // A new Postgres refuses to start while the last backend of the old one is still about to notice.
  const revive = (part) => until(() => stack.restart(part).then(() => true, () => false), `${part} starting`, PATIENCE);
  const crash = async (part) => {
    await stack.parts[part].kill();
    await revive(part);
    await until(async () => (await fetch(`${stack.adminUrl}/ready`)).ok, "the gateway being ready", PATIENCE);
  };
  const isWhole = async () => assert.deepEqual(await mismatches(stack), { orphans: [], missing: [] });
  const nothingIsLeft = async (key) => {
    await sweep(stack);
    assert.equal(await status(key), undefined, "no row");
    assert.deepEqual(await query("select from mill.document_upload"), [], "no ticket");
    await isWhole();
  };

  test("workerd killed after begin, before a byte is stored: nothing is left", async () => {
    signal("storage", "SIGSTOP");
    const answering = sending(Buffer.from(TEXT), "after-begin");
    await until(() => status("after-begin"), "the row", PATIENCE);
    await stack.parts.workerd.kill();
    signal("storage", "SIGCONT");
    assert.notEqual((await answering).status, 202);
    await stack.restart("workerd");
    await nothingIsLeft("after-begin");
  });

  test("workerd killed while the object is sent: nothing is left", async () => {
    const { body, end } = opened();
    const answering = sending(body, "while-sent");
    await until(() => unfinished() > 0, "the object being written", PATIENCE);
    await stack.parts.workerd.kill();
    end();
    assert.notEqual((await answering).status, 202);
    await stack.restart("workerd");
    await until(() => unfinished() === 0, "the half of an object being dropped", PATIENCE);
    await nothingIsLeft("while-sent");
  });

  test("an upload that is only slow is not given up by the sweep", async () => {
    const { body, end } = opened();
    const answering = sending(body, "slow");
    await until(() => unfinished() > 0, "the object being written", PATIENCE);
    await sweep(stack, { forget: 3600 });
    end();
    assert.equal((await answering).status, 202);
    const { id } = await status("slow");
    assert.equal((await user.ended(id, PATIENCE)).status, "completed");
  });

  test("storage killed while the object is sent: 503, and no row", async () => {
    const { body, end } = opened();
    const answering = sending(body, "storage-died");
    await until(() => unfinished() > 0, "the object being written", PATIENCE);
    await stack.parts.storage.kill();
    end();
    const answer = await answering;
    assert.equal(answer.status, 503, answer.text);
    assert.equal(await status("storage-died"), undefined);
    await stack.restart("storage");
    await nothingIsLeft("storage-died");
  });

  // Finish waits for the document's row, so the object is stored and nobody knows.
  async function stored(key) {
    const { body, end } = opened();
    const answering = sending(body, key);
    const { id } = await until(() => status(key), "the row", PATIENCE);
    const holder = await pool.connect();
    await holder.query("begin");
    await holder.query("select from public.shell_files where id = $1 for update", [id]);
    end();
    await until(async () => (await objects(stack)).some((object) => object.includes(id)), "the object being stored", PATIENCE);
    await until(async () => (await query("select from pg_stat_activity where wait_event_type = 'Lock' and query like '%finish_document_upload%'")).length > 0,
      "finish waiting", PATIENCE);
    return { id, answering, release: async () => {
      await holder.query("rollback");
      holder.release();
    } };
  }

  test("workerd killed once the object is stored: the sweep registers it, and it is read", async () => {
    const { id, answering, release } = await stored("after-stored");
    await stack.parts.workerd.kill();
    assert.notEqual((await answering).status, 202);
    await until(async () => (await query("select from pg_stat_activity where query like '%finish_document_upload%' and state = 'active' and pid <> pg_backend_pid()")).length === 0,
      "its call being cancelled", PATIENCE);
    await release();
    await stack.restart("workerd");
    assert.equal((await status("after-stored")).status, "uploading");
    await sweep(stack);
    const document = await user.ended(id, PATIENCE);
    assert.equal(document.status, "completed");
    assert.match(document.sha256, /^[0-9a-f]{64}$/);
    await isWhole();
  });

  test("workerd killed between finish and its answer: the retry gets the same document", async () => {
    const { id, answering, release } = await stored("after-finish");
    signal("workerd", "SIGSTOP");
    await release();
    await until(async () => (await status("after-finish")).status !== "uploading", "finish", PATIENCE);
    await stack.parts.workerd.kill();
    assert.notEqual((await answering).status, 202);
    await stack.restart("workerd");
    const again = await user.upload(Buffer.from(TEXT.repeat(41)), { headers: { "idempotency-key": "after-finish" } });
    assert.deepEqual([again.status, again.json.id], [202, id]);
    assert.equal((await user.ended(id, PATIENCE)).status, "completed");
    await isWhole();
  });

  test("the gateway killed once finish has its answer: it is asked again, and the answer is the first one", async () => {
    const { id, answering, release } = await stored("answer-lost");
    signal("gateway", "SIGSTOP");
    await release();
    await until(async () => (await status("answer-lost")).status !== "uploading", "finish", PATIENCE);
    await crash("gateway");
    // The caller spoke through the same gateway and hears nothing; the function does.
    await answering;
    const again = await user.upload(Buffer.from(TEXT.repeat(41)), { headers: { "idempotency-key": "answer-lost" } });
    assert.deepEqual([again.status, again.json.id], [202, id]);
    assert.equal((await user.ended(id, PATIENCE)).status, "completed");
    assert.equal((await query("select from mill.audit_log where record_id = $1 and action = 'INSERT'", [id])).length, 1, "registered once");
    await sweep(stack);
    await isWhole();
  });

  test("Postgres killed once the object is stored: 202, and complete after it returns", async () => {
    const { body, end } = opened();
    const answering = sending(body, "no-postgres");
    await until(() => unfinished() > 0, "the object being written", PATIENCE);
    await stack.parts.postgres.kill();
    end();
    const answer = await answering;
    assert.deepEqual([answer.status, answer.json?.status], [202, "uploading"], answer.text);
    await revive("postgres");
    await until(async () => (await fetch(`${stack.adminUrl}/ready`)).ok, "the gateway being ready", PATIENCE);
    await sweep(stack);
    assert.equal((await user.ended(answer.json.id, PATIENCE)).status, "completed");
    await isWhole();
  });

  test("an erasure that is cut off at each step ends all the same", async () => {
    const erased = async (id) => {
      await sweep(stack);
      await until(async () => (await query("select from public.shell_files where id = $1", [id])).length === 0, "the row being gone", PATIENCE);
      assert.deepEqual((await objects(stack)).filter((key) => key.includes(id)), []);
    };
    const upload = async () => {
      const { json } = await user.upload(Buffer.from(TEXT));
      await user.ended(json.id, PATIENCE);
      return json.id;
    };
    // The tombstone is set and storage is away: the caller is told, and what was read is gone already.
    const first = await upload();
    await stack.parts.storage.kill();
    assert.equal((await user.erase(first)).status, 503);
    assert.deepEqual(await query("select from public.document_pages where document_id = $1", [first]), []);
    assert.equal((await user.document(first)).status, "erasing");
    await stack.restart("storage");
    await erased(first);
    // The tombstone is set and workerd dies before the objects go.
    const second = await upload();
    signal("storage", "SIGSTOP");
    const answering = user.erase(second).catch(() => null);
    await until(async () => (await query("select from public.shell_files where id = $1 and status = 'erasing'", [second])).length > 0, "the tombstone", PATIENCE);
    await stack.parts.workerd.kill();
    signal("storage", "SIGCONT");
    await answering;
    await stack.restart("workerd");
    await erased(second);
    await isWhole();
  });

  const KILLS = isSoak ? 100 : 4;
  test(`${KILLS} kills at random moments (seed ${SEED}): what was accepted is there, and nothing else`, async (t) => {
    const next = random(SEED);
    const accepted = new Set();
    const killed = {};
    let going = true;
    const answers = { 202: 0, other: 0 };
    const caller = async () => {
      while (going) {
        const answer = await user.upload(Buffer.from(`${TEXT}Note ${randomUUID()}\n`.repeat(200))).catch(() => ({ status: 0 }));
        if (answer.status === 202) accepted.add(answer.json.id);
        answers[answer.status === 202 ? 202 : "other"]++;
        if (answer.status !== 202) await sleep(50);
      }
    };
    // The stages would only slow it down; they go on afterwards.
    await query("update mill.queue set paused = true where queue = 'fast'");
    const callers = Array.from({ length: 4 }, caller);
    try {
      for (let kills = 0; kills < KILLS; kills++) {
        const before = answers[202];
        await until(() => answers[202] > before, "an upload being accepted", PATIENCE);
        await sleep(next() * 400);
        const part = ["workerd", "storage", "gateway", "postgres"][Math.floor(next() * 4)];
        killed[part] = (killed[part] ?? 0) + 1;
        await crash(part);
      }
    } finally {
      going = false;
      await Promise.all(callers);
    }
    t.diagnostic(`killed ${JSON.stringify(killed)}; ${answers[202]} uploads accepted, ${answers.other} not`);
    await until(async () => {
      await sweep(stack);
      return (await query("select from public.shell_files where status = 'uploading'")).length === 0;
    }, "every upload being decided", PATIENCE);
    const rows = new Set((await query("select id from public.shell_files where status <> 'uploading'")).map(({ id }) => id));
    assert.deepEqual([...accepted].filter((id) => !rows.has(id)), [], "nothing accepted is lost");
    await isWhole();
    await query("update mill.queue set paused = false where queue = 'fast'");
  });
});
