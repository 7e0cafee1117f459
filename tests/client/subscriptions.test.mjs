// The subscription manager of gristmill/client against a real stack: what it tells the server, and that nothing of it stays.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { until } from "../support.mjs";
import { addSymbols, startApplications, userOf } from "./harness.mjs";

let stack;
before(async () => {
  stack = await startApplications("subscriptions", { parts: ["gateway", "relay", "provider", "workerd"], functions: ["refresh", "processor"] });
  await addSymbols(stack, "AAPL", "BRK.B", "MSFT");
});
after(() => stack?.destroy());
const sql = async (text, values) => (await stack.postgres.query(text, values)).rows;
const rowsOf = ({ sub }) => sql("select symbol, data_type, last_seen_at from public.active_subscriptions_v2 where user_id = $1 order by symbol, data_type", [sub]);
const upserts = ({ sent }) => sent.filter(({ url }) => url.includes("upsert_active_subscription_v2")).length;
const deletes = ({ sent }) => sent.filter(({ method }) => method === "DELETE").length;
const NOTHING = { subscriptions: 0, isListening: false, hasTimer: false };
const quick = { subscriptions: { grace: 50 } };

test("any number of views of one thing are one subscription, and it ends after the last of them has gone", async () => {
  const user = await userOf(stack, quick);
  const { subscriptions } = user.mill;
  const heard = [[], []];
  const leave = heard.map((list) => subscriptions.watch("BRK.B", "quote", (change) => list.push(change)));
  await until(() => heard.every((list) => list.some(({ rows }) => rows.length > 0)), "both views seeing a quote");
  const { symbol, type, rows } = heard[0].at(-1);
  assert.deepEqual([symbol, type, rows[0].symbol], ["BRK.B", "quote", "BRK.B"]);
  assert.deepEqual((await rowsOf(user)).map((row) => [row.symbol, row.data_type]), [["BRK.B", "quote"]]);
  assert.equal(upserts(user), 1);

  const late = [];
  const leaveLate = subscriptions.watch("BRK.B", "quote", (change) => late.push(change));
  await until(() => late.length > 0, "a view that comes later seeing what the others see");
  assert.equal(upserts(user), 1);
  for (const one of [...leave, leaveLate]) {
    assert.equal((await rowsOf(user)).length, 1);
    one();
    one(); // leaving twice is leaving once
  }
  await until(async () => (await rowsOf(user)).length === 0, "the subscription ending");
  assert.deepEqual([deletes(user), subscriptions.open], [1, NOTHING]);
});

test("a view that comes back within the grace costs no request", async () => {
  const user = await userOf(stack, { subscriptions: { grace: 60_000 } });
  const { subscriptions } = user.mill;
  let heard = 0;
  const watch = () => subscriptions.watch("AAPL", "quote", () => (heard += 1));
  const leave = watch();
  await until(() => heard > 0, "the first rows");
  const before = upserts(user);
  leave();
  const leaveAgain = watch();
  await until(() => heard > 1, "the rows again");
  assert.deepEqual([upserts(user), deletes(user)], [before, 0]);
  leaveAgain();
  await subscriptions.close();
  assert.deepEqual([await rowsOf(user), subscriptions.open], [[], NOTHING]);
});

test("a view that comes while the last one's subscription is being ended has one in the end", async () => {
  const user = await userOf(stack, { subscriptions: { grace: 0 } });
  const { subscriptions } = user.mill;
  let heard = 0;
  const leave = subscriptions.watch("AAPL", "quote", () => (heard += 1));
  await until(() => heard > 0, "the first rows");
  let leaveAgain;
  user.network.push(async (url, { method }, send, done) => {
    if (method !== "DELETE") return undefined;
    done();
    leaveAgain = subscriptions.watch("AAPL", "quote", () => (heard += 1)); // its call must wait for this one
    return send();
  });
  leave();
  await until(() => leaveAgain && upserts(user) === 2, "the second subscription");
  await until(async () => (await rowsOf(user)).length === 1, "the row of the second subscription");
  leaveAgain();
  await until(async () => (await rowsOf(user)).length === 0, "the end");
  assert.deepEqual(subscriptions.open, NOTHING);
});

test("heartbeats keep a subscription alive, and bring back one that the server has forgotten", async () => {
  const user = await userOf(stack, { subscriptions: { heartbeat: 100, grace: 0 } });
  const leave = user.mill.subscriptions.watch("MSFT", "quote", () => {});
  const [first] = await until(async () => { const rows = await rowsOf(user); return rows.length > 0 && rows; }, "the subscription");
  await until(async () => (await rowsOf(user))[0].last_seen_at > first.last_seen_at, "a heartbeat");
  await sql("delete from public.active_subscriptions_v2 where user_id = $1", [user.sub]);
  await until(async () => (await rowsOf(user)).length === 1, "the subscription coming back");
  leave();
  await until(async () => (await rowsOf(user)).length === 0, "the end");
});

test("a stream of changes that is cut goes on after the last event, and no change is missed", async () => {
  const user = await userOf(stack, quick);
  const heard = [];
  const prices = () => heard.map(({ rows }) => Number(rows[0]?.price));
  const streams = () => user.sent.filter(({ url }) => url.endsWith("/refresh/v1/changes"));
  let cut;
  user.network.push(async (url, init, send) => {
    if (!url.endsWith("/refresh/v1/changes")) return undefined;
    const answer = await send();
    const reader = answer.body.getReader();
    return new Response(new ReadableStream({
      start: (controller) => { cut = () => { cut = undefined; reader.cancel(); controller.error(new TypeError("cut")); }; },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!cut) return;
        done ? controller.close() : controller.enqueue(value);
      },
    }), { headers: answer.headers });
  });
  const leave = user.mill.subscriptions.watch("AAPL", "quote", (change) => heard.push(change));
  const change = async (price) => {
    await sql("update public.quotes set price = $1 where symbol = 'AAPL'", [price]);
    await sql("insert into mill.data_change (data_type, symbol, at) values ('quote', 'AAPL', now())");
  };
  await until(() => heard.some(({ rows }) => rows.length > 0), "the first rows");
  await change(111.25);
  await until(() => prices().includes(111.25), "a change by the stream");
  cut();
  await change(222.5);
  await until(() => prices().includes(222.5), "the change that came while the stream was cut");
  assert.ok(Number(streams().at(-1).headers["last-event-id"]) > 0);
  leave();
  await until(() => !user.mill.subscriptions.open.isListening, "the stream ending");
});

test("a thing that cannot be watched is refused once, with the reason", async () => {
  const user = await userOf(stack, { subscriptions: { heartbeat: 30, grace: 0 } });
  const errors = [];
  const leave = user.mill.subscriptions.watch("NOPE", "quote", () => {}, { onError: (error) => errors.push(error.code) });
  await until(() => errors.length > 0, "the refusal");
  const late = user.mill.subscriptions.watch("NOPE", "quote", () => {}, { onError: (error) => errors.push(error.code) });
  await until(() => errors.length > 1, "the same for a view that comes later");
  assert.deepEqual([errors, upserts(user)], [["GM036", "GM036"], 1]);
  leave();
  late();
  await until(() => user.mill.subscriptions.open.subscriptions === 0, "the end");
  assert.deepEqual([deletes(user), user.mill.subscriptions.open], [0, NOTHING]);
});
