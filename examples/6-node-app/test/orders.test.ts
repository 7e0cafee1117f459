// The app's own code, its SQL and the real engine, in this process: no server, no network, no waiting.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, beforeEach, test } from "node:test";
import { createPgConfig } from "@electric-sql/pglite/node-postgres";
import { testing } from "gristmill/testing";
import pg from "pg";
import { handlers, type SendMail } from "../src/handlers.js";
import { sendReceipt } from "../src/jobs.js";
import { findOrder, placeOrder } from "../src/orders.js";

const t = await testing({ jobs: [sendReceipt], sql: await readFile("schema.sql", "utf8") });
const pool = new pg.Pool(createPgConfig(t.db) as pg.PoolConfig); // node-postgres on the database of the test
let mails: { to: string }[] = [];
let sendMail: SendMail;
const all = handlers(pool, (mail) => sendMail(mail));

beforeEach(async () => {
  await t.reset();
  mails = [];
  sendMail = async (mail) => void mails.push(mail);
});
after(async () => {
  await pool.end();
  await t.close();
});

test("an order asks for its receipt", async () => {
  const order = await placeOrder(pool, { email: "ann@example.com", total: 1250 });
  await t.requireEnqueued(sendReceipt, { order, total: 1250 });
});

test("an order that is refused asks for nothing", async () => {
  await assert.rejects(placeOrder(pool, { email: "ann@example.com", total: -1 }));
  await assert.rejects(placeOrder(pool, { email: "nobody", total: 1250 }), { name: "InvalidPayload", field: "/email" });
  await t.refuteEnqueued(sendReceipt);
  assert.deepEqual(await t.sql`select * from public.orders`, []);
});

test("the receipt is sent once", async () => {
  const order = await placeOrder(pool, { email: "ann@example.com", total: 1250 });
  const { completed } = await t.drain(all, { rethrow: true });
  assert.equal(completed, 1);
  assert.ok((await findOrder(pool, order))!.receipt_sent_at);
  await t.mill.enqueue(sendReceipt, { order, email: "ann@example.com", total: 1250 });
  await t.drain(all);
  assert.deepEqual(mails, [{ to: "ann@example.com", text: "Thank you. You paid 12.50.", key: order }]);
});

test("a mail server that is away for an hour delays the receipt and loses none", async () => {
  const order = await placeOrder(pool, { email: "ann@example.com", total: 1250 });
  const back = t.clock.now().getTime() + 3_600_000;
  const good = sendMail;
  sendMail = async (mail) => {
    if (t.clock.now().getTime() < back) throw new Error("connection refused");
    await good(mail);
  };
  const { failed } = await t.drain(all);
  assert.equal(failed, 1);
  await t.clock.move("1h");
  const { completed } = await t.drain(all);
  assert.equal(completed, 1);
  assert.ok((await findOrder(pool, order))!.receipt_sent_at);
});
