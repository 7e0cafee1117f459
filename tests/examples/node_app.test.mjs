// Example 6 in a folder of its own: its own tests, then its server and its worker against a real stack.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";

import { freePorts } from "../../sdk/local/stack/ports.mjs";
import { startStack, until } from "../support.mjs";
import { copyOf, npm, remove } from "./folder.mjs";

let stack, folder;
const children = [];
before(async () => {
  [stack, folder] = await Promise.all([startStack("example-node-app", { parts: ["gateway"], applications: "none" }), copyOf("6-node-app")]);
});
after(async () => {
  await Promise.all(children.map((child) => child.exitCode ?? new Promise((resolve) => child.once("exit", resolve).kill("SIGTERM"))));
  remove(folder);
  await stack?.destroy();
});

function start(file, env) {
  const child = spawn(process.execPath, [file], { cwd: folder, env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  child.text = "";
  child.stdout.on("data", (chunk) => (child.text += chunk));
  return child;
}

test("the Node app passes its own tests in a folder of its own", async () => {
  assert.match(await npm(folder, "test"), /^# pass 4$/m);
});

test("its server stores an order with its job as a member of gristmill_app, and its worker sends the receipt", async () => {
  await stack.postgres.query("create role order_app login password 'order_app' in role gristmill_app");
  await npm(folder, "migrate", { OWNER_DATABASE_URL: stack.databaseUrl });
  const DATABASE_URL = stack.postgres.url("order_app", "order_app");
  const [port] = await freePorts(1);
  const worker = start("dist/src/worker.js", { DATABASE_URL, SUPABASE_URL: stack.url, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey });
  await until(() => worker.text.includes("working"), "the worker having registered its jobs");
  const server = start("dist/src/server.js", { DATABASE_URL, PORT: String(port) });
  await until(() => server.text.includes("listening"), "the server listening");

  const place = (order) => fetch(`http://127.0.0.1:${port}/orders`, { method: "POST", body: JSON.stringify(order) });
  assert.equal((await place({ email: "nobody", total: 5 })).status, 400);
  const answer = await place({ email: "ann@example.com", total: 1250 });
  assert.equal(answer.status, 201);
  const { id } = await answer.json();
  await until(async () => (await (await fetch(`http://127.0.0.1:${port}/orders/${id}`)).json()).receipt_sent_at, "the receipt being sent");
  assert.match(worker.text, new RegExp(`mail ${id} to ann@example\\.com: Thank you`));
  const { rows } = await stack.postgres.query("select count(*)::int as orders from public.orders");
  assert.deepEqual(rows, [{ orders: 1 }]);
});
