// `gristmill init`: what it writes, and what it refuses.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { version } from "../../scripts/lib/release/versions.mjs";
import { bin, emptyFolder, run } from "./harness.mjs";

let folder;
before(() => (folder = emptyFolder()));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const init = (...args) => run(process.execPath, [bin, "init", ...args], { cwd: folder });

test("init writes a project that has the name of its folder and Gristmill's own version", async () => {
  const { code, output } = await init("My Jobs");
  assert.equal(code, 0, output);
  assert.match(output, /cd My Jobs\n {2}npm install\n {2}npx gristmill dev/);
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, "My Jobs/package.json"), "utf8"));
  assert.equal(manifest.name, "my-jobs");
  assert.equal(manifest.devDependencies.gristmill, version);
  assert.equal(manifest.devDependencies["@gristmill/local"], version);
  assert.match(fs.readFileSync(path.join(folder, "My Jobs/.gitignore"), "utf8"), /^\.gristmill\/$/m);
  for (const file of ["functions/greet/index.ts", "functions/greet/job.ts", "test/greet.test.ts", "tsconfig.json", "README.md"]) {
    assert.ok(fs.existsSync(path.join(folder, "My Jobs", file)), file);
  }
});

test("init --template rust writes a crate whose name cargo allows, with the crate gristmill of the same version", async () => {
  const { code, output } = await init("7.jobs", "--template", "rust");
  assert.equal(code, 0, output);
  assert.match(output, /npx gristmill dev .*\n {2}eval "\$\(npx gristmill dev --env\)" && cargo run/);
  const manifest = fs.readFileSync(path.join(folder, "7.jobs/Cargo.toml"), "utf8");
  assert.match(manifest, /^name = "jobs-7-jobs"$/m);
  assert.match(manifest, new RegExp(`^gristmill = \\{ version = "${version}", features = \\["worker"\\] \\}$`, "m"));
  assert.ok(fs.existsSync(path.join(folder, "7.jobs/src/main.rs")));
});

test("init --template rust --from release files takes the crates from the folder vendor", async () => {
  const releases = path.join(folder, "releases");
  fs.mkdirSync(releases);
  for (const name of ["local", `${process.platform}-${process.arch}`]) fs.writeFileSync(path.join(releases, `gristmill-${name}-${version}.tgz`), "");
  fs.writeFileSync(path.join(releases, `gristmill-${version}.tgz`), "");
  const missing = await init("crates", "--template", "rust", "--from", releases);
  assert.equal(missing.code, 1);
  assert.match(missing.output, /gristmill-\S+\.crate is missing/);
  assert.ok(!fs.existsSync(path.join(folder, "crates")));
  for (const name of ["gristmill", "gristmill-definitions", "gristmill-macros"]) {
    fs.mkdirSync(path.join(folder, "made", `${name}-${version}`), { recursive: true });
    fs.writeFileSync(path.join(folder, "made", `${name}-${version}`, "Cargo.toml"), `# ${name}\n`);
    await run("tar", ["-czf", path.join(releases, `${name}-${version}.crate`), `${name}-${version}`], { cwd: path.join(folder, "made") });
  }
  const { code, output } = await init("crates", "--template", "rust", "--from", releases);
  assert.equal(code, 0, output);
  const manifest = fs.readFileSync(path.join(folder, "crates/Cargo.toml"), "utf8");
  for (const name of ["gristmill", "gristmill-definitions", "gristmill-macros"]) {
    const place = new RegExp(`^${name} = \\{ path = "(.*)" \\}$`, "m").exec(manifest)[1];
    assert.equal(fs.readFileSync(path.join(folder, "crates", place, "Cargo.toml"), "utf8"), `# ${name}\n`);
  }
});

test("init writes nothing into a folder that has one of its files", async () => {
  const there = path.join(folder, "there");
  fs.mkdirSync(there);
  fs.writeFileSync(path.join(there, "package.json"), "{}");
  const { code, output } = await init("there");
  assert.equal(code, 1);
  assert.match(output, /^gristmill init: nothing was written, because \S+there already has: package\.json\n {2}choose another folder/);
  assert.deepEqual(fs.readdirSync(there), ["package.json"]);
  assert.equal(fs.readFileSync(path.join(there, "package.json"), "utf8"), "{}");
});

test("init --from a folder without the release files names the file that is missing, and writes nothing", async () => {
  const { code, output } = await init("none", "--from", folder);
  assert.equal(code, 1);
  assert.match(output, /gristmill-local-\S+\.tgz is missing: --from takes the folder that scripts\/release has written/);
  assert.ok(!fs.existsSync(path.join(folder, "none")));
});

test("init with an unknown option, a second folder or an unknown template says so, with exit code 2", async () => {
  for (const [args, said] of [[["--colour"], /Unknown option '--colour'\. See gristmill init --help/], [["a", "b"], /takes one folder/],
    [["c", "--template", "cobol"], /there is no template "cobol"\n {2}--template takes: rust, typescript/]]) {
    const { code, output } = await init(...args);
    assert.equal(code, 2);
    assert.match(output, said);
  }
  assert.ok(!["a", "b", "c"].some((name) => fs.existsSync(path.join(folder, name))));
});

test("every command of a project has a help text", async () => {
  for (const name of ["init", "dev", "run", "test"]) {
    const { code, output } = await run(process.execPath, [bin, name, "--help"], { cwd: folder });
    assert.equal(code, 0, output);
    assert.match(output, new RegExp(`^usage: gristmill ${name} `));
  }
});

test("dev, run and test outside of a project say how to make one", async () => {
  for (const name of ["dev", "run", "test"]) {
    const { code, output } = await run(process.execPath, [bin, name], { cwd: folder });
    assert.equal(code, 1);
    assert.match(output, new RegExp(`^gristmill ${name}: there is no project in .*make one with: npx gristmill init`, "s"));
  }
});
