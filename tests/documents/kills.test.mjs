// The container worker is killed at random moments of every stage; the documents do not notice.
import assert from "node:assert/strict";
import fs from "node:fs";
import { after, before, test } from "node:test";

import { defaultFolder, samples } from "../../scripts/lib/samples/index.mjs";
import { random } from "../../scripts/lib/samples/image.mjs";
import { mismatches, sweep, uploader } from "../documents.mjs";
import { isSoak, sleep, startStack, until } from "../support.mjs";

const KILLS = isSoak ? 100 : 8;
const SEED = Number(process.env.GRISTMILL_SEED ?? Date.now() % 100_000);

let stack, user;
before(async () => {
  // The heartbeat of a stack's worker is 5 s; here leases are short, and so is the time to a second try.
  stack = await startStack("document-kills", { parts: ["gateway", "storage", "workerd", "work"], functions: ["documents"] });
  user = await uploader(stack);
});
after(() => stack?.destroy());

test(`a worker that is killed ${KILLS} times (seed ${SEED}) loses no document and doubles no fact`, async (t) => {
  const next = random(SEED);
  const chosen = samples(defaultFolder()).filter(({ form }) => ["born", "scan"].includes(form));
  const upload = async (sample) => ({ sample, id: (await user.upload(fs.readFileSync(sample.file))).json.id });
  const undisturbed = new Map();
  for (const { sample, id } of await Promise.all(chosen.map(upload))) {
    undisturbed.set(sample.file, (await user.ended(id, 180_000)).facts);
  }
  await stack.postgres.query("update mill.queue set lease_seconds = 8, max_attempts = 1000, max_lease_losses = 1000 where queue in ('fast', 'ai')");
  await stack.postgres.query("update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds'");
  // Few enough that a single slot that is not given back would be missed.
  await stack.postgres.query("update mill.api_rate_limits set concurrent_requests = 3, requests_per_minute = null, requests_per_hour = null where provider_name = 'builtin'");

  const killed = [];
  const stages = new Map();
  const cut = new Set();
  for (let kills = 0; kills < KILLS; kills++) {
    killed.push(...(await Promise.all(chosen.slice(0, 2 + Math.floor(next() * 3)).map(upload))));
    await sleep(100 + next() * 1500);
    // An attempt that was cut off stays until its lease ends; it counts once.
    const { rows } = await stack.postgres.query("select kind, id || ' ' || attempt as attempt from mill.job where state = 'processing'");
    for (const { kind, attempt } of rows.filter(({ attempt }) => !cut.has(attempt))) {
      cut.add(attempt);
      stages.set(kind, (stages.get(kind) ?? 0) + 1);
    }
    await stack.parts.work.kill();
    await stack.restart("work");
  }
  t.diagnostic(`killed while at work on ${JSON.stringify(Object.fromEntries(stages))}`);
  for (const { sample, id } of killed) {
    const document = await until(async () => {
      await stack.postgres.query("select mill.tick()");
      const found = await user.document(id);
      return ["completed", "needs_review", "failed", "refused", "infected"].includes(found.status) && found;
    }, `document ${id} ending`, 600_000);
    assert.equal(document.status, "completed", JSON.stringify(document.error));
    assert.deepEqual(document.facts, undisturbed.get(sample.file));
  }
  // A worker settles after the last row is written.
  await until(async () => (await stack.postgres.query("select from mill.job where state = 'processing'")).rowCount === 0, "the last job settling");
  // A slot is a job of the limit's queue while it is leased, or a lease of a caller without one: the limiter counts both.
  const { rows: limits } = await stack.postgres.query(
    "select l.provider_name, l.concurrent_requests, r.slots from mill.api_rate_limits l cross join lateral mill.api_capacity_left(l, mill.now()) r where l.concurrent_requests is not null");
  assert.ok(limits.some(({ provider_name }) => provider_name === "builtin"));
  for (const { provider_name, concurrent_requests, slots } of limits) assert.equal(slots, concurrent_requests, `no slot of ${provider_name} is leaked`);
  const ids = killed.map(({ id }) => id);
  const { rows: counted } = await stack.postgres.query(
    `select f.id, (select count(*)::int from public.usage_events e where e.shell_file_id = f.id and e.event_type = 'ai_processing_completed') as passes,
      (select count(*)::int from mill.audit_log a where a.record_id = f.id::text and a.table_name = 'documents.pass2') as written
     from public.shell_files f where f.id = any ($1)`, [ids]);
  assert.deepEqual(counted.filter(({ passes, written }) => passes !== 3 || written !== 1), [], "each pass is counted once, and facts are written once");
  t.diagnostic(`${killed.length} documents, all completed`);
  await sweep(stack);
  assert.deepEqual(await mismatches(stack), { orphans: [], missing: [] });
});
