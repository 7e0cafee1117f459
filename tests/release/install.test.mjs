// docs/quickstart.md from the release files alone: an empty folder and an empty home, with node and npm on PATH and no Rust.
// Prints a transcript with times.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { problemOf } from "../../scripts/lib/release/sbom.mjs";
import { version } from "../../scripts/lib/release/versions.mjs";
import { isRoot } from "../../sdk/local/stack/paths.mjs";
import { edit, emptyFolder, run } from "../project/harness.mjs";
import { isAlive, until } from "../support.mjs";
import { blocksOf, makeRelease, User } from "./user.mjs";

let folder, release;
before(async () => {
  folder = emptyFolder();
  release = await makeRelease(folder);
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

test("the release has every file it should have, and SHA256SUMS is right", () => {
  const platform = `${process.platform}-${process.arch}`;
  assert.deepEqual(fs.readdirSync(release).sort(), [
    "SHA256SUMS", `gristmill-${version}.crate`, `gristmill-${version}.sql`, `gristmill-${version}.tgz`, `gristmill-all-${version}.sql`, `gristmill-functions-${version}.cdx.json`,
    `gristmill-functions-${version}.tar.gz`, `gristmill-${platform}-${version}.cdx.json`, `gristmill-${platform}-${version}.tgz`,
    `gristmill-definitions-${version}.crate`, `gristmill-local-${version}.cdx.json`, `gristmill-local-${version}.tgz`, `gristmill-macros-${version}.crate`].sort());
  const checked = execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: release, encoding: "utf8" });
  assert.equal(checked.match(/: OK$/gm).length, 12);
});

test("the SBOMs are valid CycloneDX, and name what is linked and installed but not what only builds or tests", async () => {
  const names = {};
  for (const file of fs.readdirSync(release).filter((name) => name.endsWith(".cdx.json"))) {
    assert.equal(await problemOf(path.join(release, file)), null, file);
    const { components } = JSON.parse(fs.readFileSync(path.join(release, file), "utf8"));
    names[file.replace(`-${version}.cdx.json`, "")] = new Set(components.map(({ name }) => name));
  }
  const native = names[`gristmill-${process.platform}-${process.arch}`];
  assert.ok(native.has("tokio-postgres") && native.has("typst") && !native.has("syn") && !native.has("trybuild"));
  assert.ok(names["gristmill-functions"].has("worker") && !names["gristmill-functions"].has("tokio-postgres"));
  assert.ok(names["gristmill-local"].has("miniflare") && !names["gristmill-local"].has("wrangler"));
});

const blocks = blocksOf("docs/quickstart.md");

async function followTheGuide(user) {
  assert.equal((await run(path.join(user.env.PATH, "sh"), ["-c", "command -v cargo rustc"], user.options())).output, "", "Rust is on PATH");
  let dev, seconds;
  const said = [];
  try {
    for (const { language, note, text } of blocks) {
      if (note === "checkout") continue; // done above
      if (note === "dev") {
        dev = await user.terminal(text, "Ctrl-C stops everything");
      } else if (language === "diff") {
        const [from, to] = ["-", "+"].map((sign) => text.split("\n").find((line) => line.startsWith(sign)).slice(1));
        edit(user.cwd, note, from, to);
        user.say(`(edited ${note})`);
        if (note.startsWith("functions/")) await dev.says("reloaded greet");
      } else if (language === "sh") {
        said.push(await user.shell(text));
        if (text.includes("submit")) seconds ??= user.seconds;
      }
    }
  } catch (error) {
    dev?.child.kill();
    throw error;
  }
  return { dev, seconds, said: said.join("\n") };
}

function assertGuide({ seconds, said }) {
  assert.match(said, /is completed: \{ greeting: 'Hello, Grace!' \}[\s\S]*is completed: \{ greeting: 'Good evening, Grace!' \}[\s\S]*pass 3/);
  console.log(`# first job after ${seconds.toFixed(1)} s, npm install included`);
  assert.ok(seconds < 120, `the first job took ${seconds} s`);
}

const recorded = (user) => JSON.parse(fs.readFileSync(path.join(user.cwd, ".gristmill/dev/running.json"), "utf8"));

test("from the release files alone, without Rust, docs/quickstart.md leads to a job of one's own within two minutes; SIGTERM to npx ends all", async () => {
  const user = new User(path.join(folder, "first"), { release });
  const guide = await followTheGuide(user);
  assertGuide(guide);
  const { pid, pids } = recorded(user);
  guide.dev.child.kill("SIGTERM");
  await until(() => ![pid, ...Object.values(pids)].some(isAlive), "everything ending", 20_000);

  // The same project is ready to be deployed: its own function compiles, the built functions are found, and what is missing is said.
  const { code, output } = await run(path.join(user.env.PATH, "sh"), ["-c", "npx gristmill deploy supabase --check --project abcdefghij --with all"], user.options());
  assert.equal(code, 1, output);
  assert.match(output, /ok {6}gristmill\n {2}MISSING database: [\s\S]*MISSING supabase: the CLI is not installed\n +→ npm install --save-dev supabase\n {2}MISSING jobs of functions\/greet: .*: greet\n +→ gristmill deploy supabase registers them\n$/);
});

// Holds a terminal, tells when dev in it is up, and types Ctrl-C when it is told to.
const TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp("npx", ["npx", "gristmill", "dev"])
seen = b""
while b"Ctrl-C stops everything" not in seen: seen += os.read(terminal, 65536)
print("up", flush=True)
sys.stdin.readline()
os.write(terminal, b"\\x03")
try:
    while True: os.read(terminal, 65536)
except OSError: pass
print("ended with", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

// Postgres runs as the user itself then, from the package, and not as another.
test("the guide works for a user who is not root, and Ctrl-C in the terminal of npx ends everything", { skip: !isRoot && "run as root to have two users" }, async () => {
  const nobody = { uid: Number(execFileSync("id", ["-u", "nobody"])), gid: Number(execFileSync("id", ["-g", "nobody"])) };
  const user = new User(path.join(folder, "second"), { release, account: nobody });
  const guide = await followTheGuide(user);
  assertGuide(guide);
  const first = recorded(user);
  guide.dev.child.kill("SIGTERM");
  await until(() => ![first.pid, ...Object.values(first.pids)].some(isAlive), "everything ending", 20_000);

  const terminal = spawn("/usr/bin/python3", ["-c", TERMINAL], { ...user.options(), stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  terminal.stdout.on("data", (chunk) => (output += chunk));
  await until(() => output.includes("up"), "dev in a terminal", 60_000);
  const { pid, pids } = recorded(user);
  terminal.stdin.end("now\n");
  await until(() => output.includes("ended with"), "the terminal ending", 30_000);
  assert.deepEqual([pid, ...Object.values(pids)].filter(isAlive), []);
});
