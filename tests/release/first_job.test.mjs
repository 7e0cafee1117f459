// docs/first-job.md from the release files alone, each way in an empty folder with an empty home: every file as the page shows it, every command in order.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { emptyFolder } from "../project/harness.mjs";
import { blocksOf, makeRelease, User } from "./user.mjs";

const blocks = blocksOf("docs/first-job.md");
const FIVE_MINUTES = 300;

let folder, release;
before(async () => {
  folder = emptyFolder();
  release = await makeRelease(folder);
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/** What follows the way's name in the note of its blocks: a file to write ("typescript:jobs.ts"), a terminal of its own ("typescript-dev"), or nothing. */
async function follow(user, way) {
  const terminals = {};
  const said = [];
  try {
    for (const { language, note, text } of blocks) {
      const [, kind, rest] = new RegExp(`^${way}(?:([:-])(.+))?$`).exec(note) ?? [, null];
      if (!note.startsWith(way)) continue;
      if (kind === ":") {
        const file = path.join(user.cwd, rest);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, text);
        user.say(`(wrote ${rest})`);
      } else if (kind === "-") {
        terminals[rest] = await user.terminal(text.trim(), rest === "dev" ? "Ctrl-C stops everything" : "until Ctrl-C");
      } else {
        assert.equal(language, "sh");
        said.push(await user.shell(text));
      }
      if (rest?.startsWith("functions/")) await terminals.dev.says("reloaded count-words");
    }
    return { terminals, said: said.join("\n") };
  } catch (error) {
    await end(terminals);
    throw error;
  }
}

async function end(terminals) {
  for (const terminal of Object.values(terminals).reverse()) {
    process.kill(-terminal.child.pid, "SIGTERM"); // also what a shell has started
    await terminal.ended;
  }
}

test("from the release files alone, docs/first-job.md leads to a job of one's own in TypeScript within five minutes", async () => {
  const user = new User(path.join(folder, "typescript"), { release });
  const { terminals, said } = await follow(user, "typescript");
  try {
    console.log(`# done after ${user.seconds.toFixed(1)} s, npm install included`);
    assert.match(said, /^completed \{ words: 5 \}$/m);
    assert.match(said, /^the sum is 6$/m);
    assert.ok(user.seconds < FIVE_MINUTES);
    fs.writeFileSync(path.join(user.cwd, "wrong.ts"), 'import { gristmill } from "gristmill";\nimport { countWords } from "./jobs.ts";\nawait gristmill().enqueue(countWords, { txt: "" });\n');
    await assert.rejects(user.shell("npm run typecheck"), /'txt' does not exist/);
  } finally {
    await end(terminals);
  }
});

test("from the release files alone, docs/first-job.md leads to a job of one's own in Rust within five minutes", async () => {
  const rust = execFileSync("rustc", ["--print", "sysroot"], { encoding: "utf8" }).trim();
  const user = new User(path.join(folder, "rust"), {
    release, programs: ["tar", "gzip", "cc", "ld", "as", "ar"],
    // cargo itself and not rustup's proxy, which looks for its toolchains at home; what is downloaded is kept by the machine.
    env: { CARGO_HOME: process.env.CARGO_HOME ?? path.join(process.env.HOME, ".cargo") },
  });
  user.env.PATH = `${user.env.PATH}:${rust}/bin`;
  const { terminals, said } = await follow(user, "rust");
  try {
    assert.match(said, /^enqueued: New$/m);
    await terminals.worker.says('"a stranger runs a job" has 17 letters');
    console.log(`# done after ${user.seconds.toFixed(1)} s, npm install and compiling included`);
    assert.ok(user.seconds < FIVE_MINUTES);
  } finally {
    await end(terminals);
  }
});
