// The console's page: small, typed, and without a way for text to become markup.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { root } from "../../sdk/local/stack/paths.mjs";

const run = promisify(execFile);
const from = path.join(root, "console/src");
const files = fs.readdirSync(from, { recursive: true }).map(String).filter((file) => file.endsWith(".js"));

test("nothing of the console turns text into markup or code", () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|createContextualFragment|DOMParser|\beval\b|new Function|javascript:|srcdoc/;
  const found = files.filter((file) => forbidden.test(fs.readFileSync(path.join(from, file), "utf8")));
  assert.deepEqual(found, []);
});

test("the console names no address of a third party", () => {
  const named = files.flatMap((file) => [...fs.readFileSync(path.join(from, file), "utf8").matchAll(/https?:\/\/[a-z0-9.-]+/gi)].map(([address]) => `${file}: ${address}`));
  assert.deepEqual(named, []);
});

test("the page has no script and no style of its own", () => {
  const page = fs.readFileSync(path.join(from, "index.html"), "utf8");
  assert.doesNotMatch(page, /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i);
});

test("a file of the console has at most 500 lines", () => {
  const long = files.filter((file) => fs.readFileSync(path.join(from, file), "utf8").split("\n").length > 500);
  assert.deepEqual(long, []);
});

test("the types of the console are right", async () => {
  await run(path.join(root, "node_modules/.bin/tsc"), ["-p", path.join(root, "console")]).catch(({ stdout }) => assert.fail(stdout));
});

test("the whole console has less than 100 KB gzipped", async () => {
  const { stdout } = await run(process.execPath, [path.join(root, "scripts/lib/console-bundle.mjs"), "--measure"]);
  assert.match(stdout, /^console [\d.]+ KB gzipped of at most 100/);
});
