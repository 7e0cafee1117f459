// Which scanner a local stack has. What clamd itself does is tried in clamd.test.mjs.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";

import { configuration, scanner } from "../../sdk/local/stack/scanner.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-scanner-"));
after(() => fs.rmSync(folder, { recursive: true, force: true }));
const [bin, databases] = ["bin", "databases"].map((name) => path.join(folder, name));
fs.mkdirSync(bin);
fs.mkdirSync(databases);
const found = () => scanner({ places: [bin], databases });

test("a stack without clamd, or without freshclam's signatures, says which of the two is missing", () => {
  assert.match(found().missing, /clamd is not installed/);
  fs.writeFileSync(path.join(bin, "clamd"), "");
  assert.match(found().missing, /no signatures in .*: run freshclam/);
  fs.writeFileSync(path.join(databases, "main.cvd"), "");
  fs.writeFileSync(path.join(databases, "own.ndb"), "");
  assert.match(found().missing, /no signatures/, "a signature of one's own is no database");
  fs.writeFileSync(path.join(databases, "daily.cld"), "");
  assert.deepEqual(found(), { command: path.join(bin, "clamd"), databases });
});

test("clamd of a stack scans files as large as documents may be, and passes none that it has skipped", () => {
  const lines = configuration({ databases, folder, socket: "/x.sock" }).split("\n");
  for (const line of ["LocalSocket /x.sock", `DatabaseDirectory ${databases}`, "StreamMaxLength 64M", "MaxFileSize 64M", "MaxScanSize 64M", "AlertExceedsMax yes"]) assert.ok(lines.includes(line), line);
});
