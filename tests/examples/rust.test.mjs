// Examples 3 and 4, each in a folder of its own with the crates as `cargo package` packs them: Rust in a container and in workerd, against a real Postgres.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { Miniflare } from "miniflare";

import { cacheRoot, root } from "../../sdk/local/stack/paths.mjs";
import { readFunctions } from "../../sdk/local/stack/wrangler.mjs";
import { defineJob, gristmill } from "../../sdk/typescript/dist/index.js";
import { startStack, until } from "../support.mjs";

const run = promisify(execFile);
const CRATES = ["gristmill-macros", "gristmill-definitions", "gristmill"];
// The same place in every run, so that cargo compiles what the crates stand on only once.
const place = path.join(cacheRoot, "rust-examples");
const CARGO_ENV = {
  CARGO_TARGET_DIR: path.join(place, "target"), CARGO_PROFILE_DEV_DEBUG: "0", CARGO_INCREMENTAL: "0",
  CARGO_PROFILE_RELEASE_LTO: "off", CARGO_PROFILE_RELEASE_OPT_LEVEL: "0", CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
};

let stack, mill;
before(async () => {
  stack = await startStack("example-rust", { parts: ["gateway", "relay"], applications: "none" });
  mill = gristmill({ url: stack.url, key: stack.serviceKey });
  await packCrates();
});
after(() => stack?.destroy());

const secrets = () => ({ SUPABASE_URL: stack.url, SUPABASE_SERVICE_ROLE_KEY: stack.serviceKey, INVOKE_SECRET: stack.secrets.invokeSecret });

/** What crates.io would serve: the packed crates, unpacked beside the examples. */
async function packCrates() {
  const target = path.join(place, "package");
  await run("cargo", ["package", "--quiet", "--locked", "--no-verify", "--allow-dirty", "--target-dir", target, ...CRATES.flatMap((name) => ["-p", name])], { cwd: root });
  for (const name of CRATES) {
    fs.rmSync(path.join(place, name), { recursive: true, force: true });
    fs.mkdirSync(path.join(place, name), { recursive: true });
    await run("tar", ["--extract", "--strip-components", "1", "--file", path.join(target, `package/${name}-0.1.0.crate`), "--directory", path.join(place, name)]);
  }
}

/** A copy of an example that finds the packed crates where a user finds crates.io, with the versions of other crates that the checkout has. */
function copyOf(example) {
  const folder = path.join(place, example);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.cpSync(path.join(root, "examples", example), folder, { recursive: true, filter: (file) => !/[/\\](target|build)$/.test(file) });
  fs.copyFileSync(path.join(root, "Cargo.lock"), path.join(folder, "Cargo.lock"));
  fs.mkdirSync(path.join(folder, ".cargo"));
  fs.writeFileSync(path.join(folder, ".cargo/config.toml"), `[patch.crates-io]\n${CRATES.map((name) => `${name} = { path = "../${name}" }`).join("\n")}\n`);
  return folder;
}

async function cargo(folder, ...words) {
  const { stdout } = await run("cargo", words, { cwd: folder, env: { ...process.env, ...CARGO_ENV, ...secrets() }, maxBuffer: 1 << 24 });
  return stdout;
}

test("the container worker in Rust passes its own tests, registers its kind, and runs the job that it enqueues; SIGTERM ends it", async () => {
  const folder = copyOf("4-rust-container");
  assert.match(await cargo(folder, "test", "--quiet"), /2 passed; 0 failed/);
  await cargo(folder, "build", "--quiet");
  const program = path.join(CARGO_ENV.CARGO_TARGET_DIR, "debug/pictures");
  const worker = spawn(program, { env: { PATH: process.env.PATH, ...secrets() }, stdio: ["ignore", "inherit", "inherit"] });
  const ended = new Promise((resolve) => worker.once("exit", (code, signal) => resolve({ code, signal })));
  try {
    await until(async () => (await stack.postgres.query("select from mill.kind where kind = 'thumbnail'")).rowCount === 1, "the registration of the kind");
    const { stdout } = await run(program, ["cat.png"], { env: { PATH: process.env.PATH, ...secrets() } });
    assert.equal(stdout, "New\n");
    const { rows: [{ id }] } = await stack.postgres.query("select id from mill.job where kind = 'thumbnail'");
    const done = await mill.wait(id);
    assert.deepEqual([done.state, done.result], ["completed", { object: "small/cat.png", attempt: 1 }]);
    assert.equal((await run(program, ["cat.png"], { env: { PATH: process.env.PATH, ...secrets() } })).stdout, "Duplicate\n", "the kind is unique by object and width");
  } finally {
    worker.kill("SIGTERM");
  }
  assert.deepEqual(await ended, { code: 0, signal: null });
});

test("the function in Rust passes its own tests, is registered at its address, and runs in workerd when Postgres invokes it", async () => {
  const folder = copyOf("3-rust-workers");
  assert.match(await cargo(folder, "test", "--quiet", "--lib"), /1 passed; 0 failed/);
  const out = path.join(folder, "build");
  await run(path.join(root, "scripts/lib/build-crate.sh"), [folder, "pictures_at_the_edge", out], { env: { ...process.env, ...CARGO_ENV }, maxBuffer: 1 << 24 });
  const { shared } = readFunctions("processor");
  const worker = new Miniflare({
    host: "127.0.0.1", port: 0, cf: false, telemetry: { enabled: false }, rootPath: out, modulesRoot: out,
    modules: [{ type: "ESModule", path: path.join(out, "index.js") }, { type: "CompiledWasm", path: path.join(out, "index_bg.wasm") }],
    compatibilityDate: shared.compatibility_date, compatibilityFlags: shared.compatibility_flags, bindings: secrets(),
  });
  try {
    const url = String(await worker.ready);
    assert.match(await cargo(folder, "run", "--quiet", "--bin", "register", "--", url), /caption/);
    const caption = defineJob("caption", { queue: "captions" });
    const { id } = await mill.enqueue(caption, { object: "a cat" });
    const done = await mill.wait(id);
    assert.deepEqual([done.state, done.result], ["completed", "A picture of a cat"]);
    const { id: empty } = await mill.enqueue(caption, { object: "" });
    assert.equal((await mill.wait(empty)).state, "failed");
    assert.equal((await fetch(url, { method: "POST", body: JSON.stringify({ invocation: id }) })).status, 403, "an invocation that nobody signed is refused");
  } finally {
    await worker.dispose();
  }
});
