// The commands that docs/understanding.md and docs/dictionaries.md show, run as they stand. They compile and fetch packages, so only in soak.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";
import { isSoak } from "../support.mjs";

const commands = (page) => [...fs.readFileSync(path.join(root, page), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap(([, block]) => block.trim().split("\n"));
const PAGE = { number: 1, source: "text", width: 612, height: 792, words: [
  { t: "Metformin", b: [0.1, 0.1, 0.2, 0.12], l: 1 }, { t: "500", b: [0.21, 0.1, 0.25, 0.12], l: 1 }, { t: "mg", b: [0.26, 0.1, 0.29, 0.12], l: 1 },
  { t: "twice", b: [0.3, 0.1, 0.35, 0.12], l: 1 }, { t: "daily", b: [0.36, 0.1, 0.41, 0.12], l: 1 }] };

function run(command) {
  const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", command], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(status, 0, `${command}\n${stderr.slice(-2000)}`);
  return stdout;
}

for (const [page, count] of [["docs/understanding.md", 2], ["docs/dictionaries.md", 3]]) {
  test(`the commands of ${page} do what the page says`, { skip: !isSoak && "they compile and fetch packages: ./scripts/test soak documents" }, () => {
    const shown = commands(page);
    assert.equal(shown.length, count);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gristmill-commands-"));
    try {
      fs.writeFileSync(path.join(folder, "pages.json"), `${JSON.stringify({ pages: [PAGE] })}\n`);
      for (const command of shown) {
        const said = run(command.replace("pages.json", path.join(folder, "pages.json")).replace("/tmp/dictionary", path.join(folder, "dictionary")));
        if (command.includes("example read")) assert.match(said, /"metformin"/);
        if (command.includes("offline.mjs")) assert.match(said, /precision/);
        if (command.startsWith("git diff")) assert.equal(said, "", "the committed data is what the script makes of its packages");
      }
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
}
