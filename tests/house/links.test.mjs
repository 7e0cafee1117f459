// The pages that a reader walks through: every link arrives, and every page is found from docs/README.md and llms.txt.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";

const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { cwd: root, encoding: "utf8" })
  .trim().split("\n").filter((file) => fs.existsSync(path.join(root, file)));
const guides = fs.readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
const withoutCode = (text) => text.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "").replace(/`[^`\n]*`/g, "");

// As GitHub makes them: lower case, punctuation gone, spaces become hyphens; the second of the same name gets -1.
function anchors(file) {
  const seen = new Map();
  return new Set([...read(file).replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "").matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
    const anchor = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }));
}

function links(file) {
  return [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target).filter((target) => !/^[a-z]+:/.test(target));
}

function missing(file, target) {
  const [place, anchor] = target.split("#");
  const found = place === "" ? file : path.normalize(path.join(path.dirname(file), place));
  if (!fs.existsSync(path.join(root, found))) return `${file} links to ${target}, which does not exist`;
  if (anchor && found.endsWith(".md") && !anchors(found).has(anchor)) return `${file} links to ${target}, and ${found} has no such heading`;
  return null;
}

test("every link between pages arrives at a file and a heading", () => {
  const all = pages.flatMap((file) => links(file).map((target) => [file, target]));
  assert.ok(all.length > 400, `${all.length} links were found`);
  assert.deepEqual(all.map(([file, target]) => missing(file, target)).filter(Boolean), []);
});

test("a link to a page or a heading that does not exist is noticed", () => {
  assert.match(missing("docs/engine.md", "nothing.md"), /does not exist/);
  assert.match(missing("docs/engine.md", "why.md#nothing"), /no such heading/);
  assert.equal(missing("CONTRIBUTING.md", "docs/leases.md#step-by-step"), null);
});

test("docs/README.md names every page of docs", () => {
  const named = new Set(links("docs/README.md").map((target) => target.split("#")[0]));
  assert.deepEqual(guides.filter((name) => !named.has(name)), []);
});

test("llms.txt names every page of docs with a sentence", () => {
  const text = read("llms.txt");
  assert.match(text, /^# Gristmill\n\n> \S/);
  assert.deepEqual(guides.filter((name) => !new RegExp(`^- \\[[^\\]]+\\]\\([^)]*docs/${name.replaceAll(".", "\\.")}\\): \\S`, "m").test(text)), []);
});

test("CONTRIBUTING.md answers ten questions, each with a page or a file", () => {
  const table = read("CONTRIBUTING.md").split("## Ten questions\n")[1].split("\n## ")[0];
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && line.includes("?"));
  assert.equal(rows.length, 10);
  for (const row of rows) assert.match(row, /\]\((docs|sql)\//, row);
});
