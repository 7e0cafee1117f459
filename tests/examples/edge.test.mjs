// Examples 1 and 2, each in a folder of its own with the packed library: TypeScript in Deno and in workerd, invoked by a real Postgres.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import esbuild from "esbuild";
import { Miniflare } from "miniflare";

import { root } from "../../sdk/local/stack/paths.mjs";
import { freePorts, isListening } from "../../sdk/local/stack/ports.mjs";
import { defineJob, gristmill } from "../../sdk/typescript/dist/index.js";
import { startStack, until } from "../support.mjs";
import { copyOf, npm, remove } from "./folder.mjs";

let stack, mill, folders = {};
before(async () => {
  stack = await startStack("example-edge", { parts: ["gateway", "relay"], applications: "none" });
  mill = gristmill({ url: stack.url, key: stack.serviceKey });
  for (const name of ["1-supabase", "2-cloudflare"]) folders[name] = await copyOf(name);
});
after(async () => {
  for (const folder of Object.values(folders)) remove(folder);
  await stack?.destroy();
});

const bindings = () => ({ SUPABASE_URL: stack.url, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, INVOKE_SECRET: stack.secrets.invokeSecret });

test("the example on Supabase compiles, registers its jobs from Deno, and Postgres has them run by its function in Deno", async () => {
  const folder = folders["1-supabase"];
  await npm(folder, "typecheck");
  const [port] = await freePorts(1);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...bindings(), PORT: String(port), JOBS_URL: `http://127.0.0.1:${port}/` };
  // A group of its own: what npm calls deno starts the real one.
  const child = spawn(path.join(root, "node_modules/.bin/deno"), ["run", "--no-prompt", "--allow-net", "--allow-env", "supabase/functions/jobs/index.ts"],
    { cwd: folder, env, detached: true, stdio: ["ignore", "inherit", "inherit"] });
  try {
    assert.equal(await npm(folder, "register", env), "welcome is created\nremind is created\n");
    assert.equal(await npm(folder, "register", env), "welcome is unchanged\nremind is unchanged\n");
    await until(() => isListening(port), "the function");
    const welcome = defineJob("welcome");
    const { id } = await mill.enqueue(welcome, { to: "ada@example.com", name: "Ada" });
    const done = await mill.wait(id);
    assert.deepEqual([done.state, done.result], ["completed", { text: "Welcome, Ada!" }]);
    await until(async () => (await stack.postgres.query("select from mill.job where kind = 'remind' and state = 'completed'")).rowCount === 1, "the job that the first one enqueued");
    assert.deepEqual(await mill.enqueue(welcome, { to: "ada@example.com", name: "Ada again" }), { id, status: "duplicate" });
    await assert.rejects(mill.enqueue(welcome, { to: "nobody", name: "x" }), { name: "InvalidPayload", field: "/to" });
  } finally {
    process.kill(-child.pid);
  }
});

test("the example on Cloudflare compiles, registers itself, takes an order and has its invoice written in workerd", async () => {
  const folder = folders["2-cloudflare"];
  await npm(folder, "typecheck");
  const { outputFiles: [{ text }] } = await esbuild.build({ entryPoints: [path.join(folder, "src/index.ts")], bundle: true, write: false, format: "esm", target: "es2022", conditions: ["workerd", "worker", "browser"] });
  const worker = new Miniflare({ host: "127.0.0.1", port: 0, cf: false, telemetry: { enabled: false }, modules: [{ type: "ESModule", path: "index.mjs", contents: text }], compatibilityDate: "2025-01-01", bindings: bindings() });
  try {
    const url = await worker.ready;
    const post = (place, body, headers) => fetch(new URL(place, url), { method: "POST", headers, ...(body && { body: JSON.stringify(body) }) });
    assert.equal((await post("/register")).status, 403);
    const registered = await (await post("/register", null, { authorization: `Bearer ${stack.serviceKey}` })).json();
    assert.deepEqual(registered.kinds, [{ kind: "invoice", status: "created" }]);
    const refused = await post("/orders", { order: "7", cents: 0 });
    assert.deepEqual([refused.status, (await refused.json()).field], [422, "/cents"]);
    const { id } = await (await post("/orders", { order: "7", cents: 1250 })).json();
    const done = await mill.wait(id);
    assert.deepEqual([done.state, done.result], ["completed", { number: "I-7", total: "12.50" }]);
    assert.equal((await post("/jobs", { invocation: id })).status, 403);
  } finally {
    await worker.dispose();
  }
});
