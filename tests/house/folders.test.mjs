// The folders of sql/: each file lies where a stranger looks for it.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { readManifest } from "../../scripts/lib/graph/manifest.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";

const sql = path.join(root, "sql");
// More than a screen of names is no longer read as a whole.
const MOST = 22;

test(`no folder of sql/ has more than ${MOST} files`, () => {
  const folders = [sql, ...fs.readdirSync(sql, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory()).map((entry) => path.join(entry.parentPath, entry.name))];
  const full = folders.map((folder) => [path.relative(root, folder), fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length])
    .filter(([, files]) => files > MOST);
  assert.deepEqual(full, []);
});

// `gristmill migrate --without` takes the part of a file that a later version no longer has from its folder.
test("every file of sql/ lies in the folder of its part, and migrations in theirs", () => {
  const parts = readManifest(fs.readFileSync(path.join(sql, "manifest.txt"), "utf8"));
  const homeOf = (file) => parts.map((part) => part.name).filter((name) => file.startsWith(`${name}/`)).sort((a, b) => b.length - a.length)[0];
  const astray = parts.flatMap((part) => part.files
    .filter(({ how, path: file }) => (how === "migration" ? !file.startsWith("migrations/") : homeOf(file) !== part.name))
    .map(({ path: file }) => `${file} of ${part.name}`));
  assert.deepEqual(astray, []);
});
