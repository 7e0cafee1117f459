// What must not compile does not, and what the libraries of schemas infer is what a handler is given.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";

const here = path.join(root, "tests/sdk/types");
const tsc = (folder) => spawnSync(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });

let folder;
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-types-"));
  fs.symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  const config = JSON.parse(fs.readFileSync(path.join(here, "tsconfig.json"), "utf8"));
  for (const [name, [file]] of Object.entries(config.compilerOptions.paths)) config.compilerOptions.paths[name] = [path.resolve(here, file)];
  fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

test("good jobs compile, with zod, valibot, arktype and without a schema; each mistake is found", () => {
  const { status, stdout } = tsc(here);
  assert.equal(status, 0, stdout);
});

test("without its @ts-expect-error every mistake is an error of the compiler: a wrong payload, an unknown kind, a missing handler", () => {
  const text = fs.readFileSync(path.join(here, "jobs.ts"), "utf8");
  const expected = text.split("\n").flatMap((line, at) => (/^\s*\/\/ @ts-expect-error/.test(line) ? [at + 2] : []));
  assert.ok(expected.length >= 18, `${expected.length} mistakes`);
  fs.writeFileSync(path.join(folder, "jobs.ts"), text.replaceAll("@ts-expect-error", "an error:"));
  const { stdout } = tsc(folder);
  const found = new Set([...stdout.matchAll(/jobs\.ts\((\d+),/g)].map(([, line]) => Number(line)));
  assert.deepEqual(expected.filter((line) => !found.has(line)), [], stdout);
});
