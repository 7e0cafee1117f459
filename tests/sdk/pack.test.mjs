// The package as npm packs and installs it, in an empty folder in which nothing else of ours can be found.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { root } from "../../sdk/local/stack/paths.mjs";
import { startEngine } from "./harness.mjs";

const source = path.join(root, "sdk/typescript");
const run = promisify(execFile);
let folder, installed, stack;
const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
/** A program of the folder's own, which sees nothing of this process's surroundings. */
const node = async (name, env = {}) => (await run(process.execPath, [name], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env } })).stdout;

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-pack-"));
  installed = path.join(folder, "node_modules/gristmill");
  const engine = startEngine("pack");
  engine.catch(() => {}); // it is awaited below
  write("package.json", JSON.stringify({ name: "empty", private: true, type: "module" }));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: source });
  const [{ filename }] = JSON.parse(stdout);
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${filename}`],
    { cwd: folder, env: { ...process.env, npm_config_cache: path.join(folder, ".npm") } }); // with an empty cache
  ({ stack } = await engine);
});
after(async () => {
  fs.rmSync(folder, { recursive: true, force: true });
  await stack?.destroy();
});

test("the packed package installs without a network, alone, with every file that its manifest names", () => {
  assert.deepEqual(fs.readdirSync(path.join(folder, "node_modules")).filter((name) => !name.startsWith(".")), ["gristmill"], "optional peers are not installed");
  const { exports, bin } = JSON.parse(fs.readFileSync(path.join(installed, "package.json"), "utf8"));
  const named = [...Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry))), ...Object.values(bin)];
  assert.deepEqual(named.filter((file) => !fs.existsSync(path.join(installed, file))), []);
  assert.ok(fs.existsSync(path.join(folder, "node_modules/.bin/gristmill")));
});

test("the packed package has no tests of ours, no sources of the library, and no path of the machine that made it", () => {
  const files = fs.readdirSync(installed, { recursive: true }).filter((name) => fs.statSync(path.join(installed, name)).isFile());
  const ours = files.filter((name) => !name.startsWith("templates/"));
  assert.ok(ours.includes("dist/index.js"));
  assert.deepEqual(ours.filter((name) => /\.test\.|^(src|tests?)\/|(?<!\.d)\.tsx?$|\.map$|tsconfig/.test(name)), []);
  const places = [root, fs.realpathSync(root), os.homedir(), "file:///"].filter((place) => place.length > 1);
  const telling = files.filter((name) => {
    const text = fs.readFileSync(path.join(installed, name), "latin1");
    return places.some((place) => text.includes(place.endsWith("/") ? place : `${place}/`));
  });
  assert.deepEqual(telling, []);
});

test("a program that has only the packed package imports what needs no peer, and is told the name of a peer that is missing", async () => {
  write("imports.mjs", `
const core = await import("gristmill"), client = await import("gristmill/client");
const missing = await import("gristmill/react").catch((error) => error.message);
console.log(JSON.stringify({ core: Object.keys(core), client: Object.keys(client), missing }));
`);
  const { core, client, missing } = JSON.parse(await node("imports.mjs"));
  for (const name of ["defineJob", "gristmill", "handle", "dead", "retry", "snooze"]) assert.ok(core.includes(name), name);
  assert.ok(client.length > 0);
  assert.match(missing, /Cannot find package 'react'/);
});

test("a program that has only the packed package registers a job, enqueues it, works on it and reads its result", async () => {
  write("works.mjs", `
import { defineJob, gristmill, handle } from "gristmill";

const add = defineJob("add", { queue: "sums", jsonSchema: { type: "object", required: ["a", "b"] } });
const mill = gristmill();
await mill.register([add]);
const { id } = await mill.enqueue(add, { a: 2, b: 3 });
await mill.work([handle(add, ({ payload }) => ({ sum: payload.a + payload.b }))], { stopWhenIdle: true });
const { state, result } = await mill.get(id);
console.log(JSON.stringify({ state, result }));
`);
  const said = await node("works.mjs", { GRISTMILL_URL: stack.url, GRISTMILL_SERVICE_KEY: stack.serviceKey });
  assert.deepEqual(JSON.parse(said.trim().split("\n").at(-1)), { state: "completed", result: { sum: 5 } });
});

test("a program is checked against the types of the packed package: a good one compiles, and a wrong payload does not", async () => {
  const program = (payload) => `
import { defineJob, gristmill, handle } from "gristmill";
import * as browser from "gristmill/client";

const add = defineJob("add", { queue: "sums" }).payload<{ a: number; b: number }>();
export const handler = handle(add, ({ payload }) => ({ sum: payload.a + payload.b }));
export const enqueue = () => gristmill().enqueue(add, ${payload});
export const names: string[] = Object.keys(browser);
`;
  const options = { target: "es2022", module: "nodenext", strict: true, noEmit: true, skipDefaultLibCheck: true, lib: ["es2022", "esnext.disposable", "dom", "dom.iterable"], types: [] };
  write("tsconfig.json", JSON.stringify({ compilerOptions: options, files: ["good.ts", "wrong.ts"] }));
  write("good.ts", program("{ a: 1, b: 2 }"));
  write("wrong.ts", program('{ a: 1, b: "2" }'));
  const error = await run(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", folder]).catch((failed) => failed);
  const lines = error.stdout.trim().split("\n").filter((line) => /error TS/.test(line));
  assert.equal(lines.length, 1, error.stdout);
  assert.match(lines[0], /^.*wrong\.ts\(7,.*Type 'string' is not assignable to type 'number'/);
});
