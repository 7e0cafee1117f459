// The application's SQL and its handler, with the real engine in this process.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, beforeEach, test } from "node:test";
import { testing } from "gristmill/testing";
import { handlers, requestThumbnail, type Shrink } from "../src/gallery.js";

const picture = "6b1f2a58-0000-4000-8000-000000000001";
let shrink: Shrink;
const all = handlers((...args) => shrink(...args));
const t = await testing({ handlers: all, sql: await readFile("sql/gallery.sql", "utf8") });
beforeEach(async () => {
  await t.reset();
  shrink = async () => {};
});
after(() => t.close());

const row = async () => (await t.sql`select state, path, problem from gallery.thumbnail`)[0];

test("a thumbnail that is asked for twice is made once", async () => {
  const ids = [await requestThumbnail(t.mill, picture), await requestThumbnail(t.mill, picture)];
  assert.equal(ids[0], ids[1]);
  assert.equal((await t.drain()).completed, 1);
  const path = `thumbnails/${picture}-1.webp`;
  assert.deepEqual(await row(), { state: "made", path, problem: null });
  assert.deepEqual((await t.job(ids[0]!))!.result, { path });
});

test("a worker that comes after its lease has ended writes no row", async () => {
  const id = await requestThumbnail(t.mill, picture);
  let isSlow = true;
  shrink = async () => {
    if (!isSlow) return;
    isSlow = false;
    await t.clock.move("1h"); // the lease ends while this worker still draws
    assert.equal((await t.drain(all, { withScheduled: true })).completed, 1);
  };
  const slow = await t.drain();
  assert.deepEqual(slow.attempts.map(({ attempt, outcome }) => [attempt, outcome]), [[1, "lost"]]);
  assert.equal((await row()).path, `thumbnails/${picture}-2.webp`);
  assert.equal((await t.job(id))!.attempt, 2);
});

test("a call that is repeated because its answer was lost is answered like the first and changes nothing", async () => {
  await requestThumbnail(t.mill, picture);
  const [job] = (await t.mill.rpc("claim_jobs", { p_worker: "w", p_queues: ["thumbnails"], p_max: 1 })) as [{ id: string; attempt: number }];
  const finish = (p_worker: string, p_path: string) => t.mill.rpc("finish_thumbnail", { p_job: job.id, p_worker, p_attempt: job.attempt, p_path });
  assert.equal(await finish("somebody else", "x"), false);
  assert.deepEqual([await finish("w", "a"), await finish("w", "b")], [true, true]);
  assert.equal((await row()).path, "a");
});

test("a row that Postgres refuses leaves the job to its holder", async () => {
  await t.sql`insert into gallery.thumbnail (picture, state, path) values ('6b1f2a58-0000-4000-8000-000000000002', 'made', ${`thumbnails/${picture}-1.webp`})`;
  const id = await requestThumbnail(t.mill, picture);
  const { attempts } = await t.drain();
  assert.equal(attempts[0]!.outcome, "failed");
  assert.equal((await t.job(id))!.error!.type, "23505");
});

test("a job that has used up its attempts marks its row, and a retry by an operator clears the mark", async () => {
  shrink = async () => {
    throw new Error("the picture is broken");
  };
  const id = await requestThumbnail(t.mill, picture);
  assert.equal((await t.drain(all, { withScheduled: true })).attempts.length, 3);
  assert.deepEqual(await row(), { state: "failed", path: null, problem: "the picture is broken" });
  shrink = async () => {};
  await t.mill.retry(id);
  assert.equal((await row()).state, "wanted");
  await t.drain();
  assert.equal((await row()).state, "made");
});
