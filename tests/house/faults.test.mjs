// docs/faults.md names a test for each fault, and each is there.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";

const page = fs.readFileSync(path.join(root, "docs/faults.md"), "utf8");
const rows = page.slice(page.indexOf("## Faults")).split("\n")
  .filter((line) => /^\| (?!---|fault |attack )/.test(line)).map((line) => line.split(" | "));

test("each fault of docs/faults.md has what must hold and a test", () => {
  assert.ok(rows.length > 30);
  for (const [fault, must, shown] of rows) {
    assert.ok(must.trim(), fault);
    assert.match(shown, /\]\(\.\.\/|`scripts\/bench/, fault);
  }
});

test("each test that docs/faults.md names stands in the file that it names", () => {
  for (const [fault, , shown] of rows) {
    let text = "";
    for (const [, file, title] of shown.matchAll(/\]\(\.\.\/([^)]+)\)|"([^"]+)"/g)) {
      if (file) text = fs.statSync(path.join(root, file)).isDirectory() ? "" : fs.readFileSync(path.join(root, file), "utf8");
      else assert.ok(text.includes(title), `${fault}: no test is called "${title}"`);
    }
  }
});
