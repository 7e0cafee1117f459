// The examples of docs/typescript.md compile.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";

test("every example of docs/typescript.md compiles, and one with a mistake would not", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-docs-"));
  try {
    const blocks = [...fs.readFileSync(path.join(root, "docs/typescript.md"), "utf8").matchAll(/^```ts (\S+)\n([\s\S]*?)^```/gm)];
    assert.ok(blocks.length >= 4, `${blocks.length} examples`);
    fs.symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
    const config = JSON.parse(fs.readFileSync(path.join(root, "tests/sdk/types/tsconfig.json"), "utf8"));
    config.compilerOptions.paths.gristmill = [path.join(root, "sdk/typescript/dist/index.d.ts")];
    config.compilerOptions.allowImportingTsExtensions = true;
    fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
    for (const [, name, text] of blocks) fs.writeFileSync(path.join(folder, name), text);
    const tsc = () => spawnSync(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
    const { status, stdout } = tsc();
    assert.equal(status, 0, stdout);
    fs.appendFileSync(path.join(folder, "worker.ts"), "\nmill.enqueue(sendEmail, { to: 1 });\n");
    assert.match(tsc().stdout, /worker\.ts/);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
