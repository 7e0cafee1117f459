// Auditing makes nobody wait for anybody, and the chain holds what many wrote at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, isSoak, startStack } from "../support.mjs";

let stack, pool;
before(async () => {
  stack = await startStack("audit", { parts: [] });
  pool = connect(stack, 24);
});
after(async () => {
  await pool?.end();
  await stack?.destroy();
});

const together = (count, work) => Promise.all(Array.from({ length: count }, (_, at) => work(at)));

test("a transaction that has audited and not committed holds up no other", async () => {
  const slow = await pool.connect();
  await slow.query("begin; select mill.audit('t', 'slow', 'insert'); set local statement_timeout = 0");
  // With a lock on the day's chain these would wait for the open transaction, and time out.
  await together(8, async (at) => {
    const client = await pool.connect();
    await client.query("begin; set local lock_timeout = '2s'");
    await client.query("select mill.audit('t', $1, 'insert')", [`quick ${at}`]);
    await client.query("commit");
    client.release();
  });
  const { rows: [{ answer }] } = await pool.query("select public.verify_audit_log() as answer");
  assert.equal(answer.ok, true);
  await slow.query("commit");
  slow.release();
  assert.deepEqual((await pool.query("select public.verify_audit_log() -> 'findings' as f")).rows[0].f, []);
});

test("what many write while others link and verify is linked once and verifies", async () => {
  const rows = isSoak ? 20_000 : 400;
  let writing = true;
  const before = (await pool.query("select count(*)::int as n from mill.audit_log")).rows[0].n;
  const [, verdicts] = await Promise.all([
    together(16, async (at) => {
      for (let n = 0; n < rows / 16; n++) {
        await pool.query(n % 7 === 3 ? "begin; select mill.audit('t', 'x', 'undone'); rollback" : `select mill.audit('t', '${at}/${n}', 'insert', p_new => '{"n": ${n}}')`);
      }
    }).finally(() => (writing = false)),
    (async () => {
      const verdicts = [];
      while (writing) {
        await Promise.all([pool.query("select mill.chain_audit()"), pool.query("select mill.chain_audit(50)")]);
        verdicts.push((await pool.query("select public.verify_audit_log() as v")).rows[0].v);
      }
      return verdicts;
    })(),
  ]);
  assert.ok(verdicts.length > 0 && verdicts.every(({ ok }) => ok), JSON.stringify(verdicts.find(({ ok }) => !ok)));
  const { rows: [{ v }] } = await pool.query("select public.verify_audit_log() as v");
  const { rows: [{ n, linked }] } = await pool.query(`select (select count(*)::int from mill.audit_log) as n, (select count(*)::int from mill.audit_chain) as linked`);
  assert.equal(v.ok, true);
  assert.equal(linked, n);
  assert.ok(n > before);
});
