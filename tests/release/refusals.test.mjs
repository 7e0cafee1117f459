// What scripts/release refuses before it makes anything.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { version } from "../../scripts/lib/release/versions.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { emptyFolder, run } from "../project/harness.mjs";

// A clone with a commit of its own, so that nothing depends on the state of this checkout.
let clone;
const git = (...args) => execFileSync("git", args, { cwd: clone });
before(() => {
  clone = path.join(emptyFolder(), "clone");
  execFileSync("git", ["clone", "--quiet", "--shared", root, clone]);
  for (const file of ["scripts", "sdk", "Cargo.toml", "package.json"]) fs.cpSync(path.join(root, file), path.join(clone, file), { recursive: true });
  fs.symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));
  git("add", "--all");
  git("-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--allow-empty", "--message", "as it is");
});
after(() => fs.rmSync(path.dirname(clone), { recursive: true, force: true }));

const release = (...args) => run(process.execPath, ["scripts/lib/release/main.mjs", "--binary", process.execPath, "--out", path.join(clone, "../out"), ...args], { cwd: clone });

test("a release is refused where a package has another version than Cargo.toml", async () => {
  const file = path.join(clone, "sdk/local/package.json");
  const before = fs.readFileSync(file, "utf8");
  fs.writeFileSync(file, before.replace(`"version": "${version}"`, '"version": "9.9.9"').replace(/"pg": "[^"]*"/, '"pg": "1.0.0"'));
  const { code, output } = await release("--allow-dirty");
  fs.writeFileSync(file, before);
  assert.equal(code, 1);
  assert.match(output, /versions disagree:\n {2}sdk\/local\/package\.json has 9\.9\.9, and Cargo\.toml \S+\n {2}sdk\/local\/package\.json has pg 1\.0\.0, and the tests run with/);
});

test("a release is refused from a tree with changes that are not committed, and names them", async () => {
  fs.writeFileSync(path.join(clone, "left-over.txt"), "");
  const { code, output } = await release();
  fs.rmSync(path.join(clone, "left-over.txt"));
  assert.equal(code, 1);
  assert.match(output, /changes that are not committed:\n.*left-over\.txt\n {2}commit them, or say --allow-dirty/);
});

test("a release is refused for a tag of another version, for a binary of another version, and into a folder that is not empty", async () => {
  const tagged = await release("--tag", "v9.9.9");
  assert.deepEqual([tagged.code, /^error: the tag v9\.9\.9 is not v/.test(tagged.output)], [1, true], tagged.output);
  const other = await release(); // --binary is Node itself
  assert.deepEqual([other.code, /says "v\d+.*", not "gristmill /.test(other.output)], [1, true], other.output);
  const full = await run(process.execPath, ["scripts/lib/release/main.mjs", "--binary", process.execPath, "--out", clone], { cwd: clone });
  assert.deepEqual([full.code, /is not empty/.test(full.output)], [1, true], full.output);
  const unknown = await release("--publish");
  assert.deepEqual([unknown.code, /Unknown option '--publish'/.test(unknown.output)], [2, true], unknown.output);
});
