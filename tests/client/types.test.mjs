// What compiles with gristmill/client and gristmill/react: the examples of docs/browser.md do, mistakes do not.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { root } from "../../sdk/local/stack/paths.mjs";

// What an example takes from the ones before it.
const GIVEN = `import type { Client } from "gristmill/client";
declare const mill: Client;
declare const file: File;
declare const documentId: string;
`;

/** The errors of these files, as a user's own project would be compiled. */
function compile(files) {
  const folder = path.join(root, "sdk/typescript/dist", `types-${process.pid}`);
  fs.mkdirSync(folder, { recursive: true });
  try {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
    fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { target: "es2022", lib: ["es2022", "dom", "dom.iterable"], module: "nodenext", strict: true, noEmit: true,
      jsx: "react-jsx", types: [], skipLibCheck: true }, include: ["."] }));
    const { stdout } = spawnSync(path.join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: folder, encoding: "utf8" });
    return stdout.split("\n").filter((line) => /error TS/.test(line));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const page = fs.readFileSync(path.join(root, "docs/browser.md"), "utf8");
const examples = [...page.matchAll(/^```(tsx?)\n(.*?)^```/gms)].map(([, ending, text], at) => [`example-${at}.${ending}`, /const mill = /.test(text) ? text : `${GIVEN}export {};\n${text}`]);
const mistakes = [
  "mill.enqueue(job, { to: 1 })", "mill.enqueue(job, {})", 'mill.rpc("no_such_function", {})', 'mill.rpc("get_job", { p_id: 1 })', 'mill.rpc("get_job", {})', 'mill.watch("id", { of: "table" })',
  'mill.uploads.send("path/of/a/file")', 'mill.exports.create({ documentId, template: "fancy" })', 'mill.subscriptions.watch("AAPL", "quote")', 'client({ url: "" })',
];
const before = `import { client } from "gristmill/client";\n${GIVEN}declare const job: { kind: "mail"; "~types"?: { input: { to: string } } };
export const fine = [mill.enqueue(job, { to: "you" }), mill.rpc("get_job", { p_id: "" }), mill.enqueue("echo", { any: 1 })];
`;
const said = compile({ ...Object.fromEntries(examples), "mistakes.ts": `${before}${mistakes.map((mistake) => `void ${mistake};`).join("\n")}\n` });

test("every example of docs/browser.md compiles", () => {
  assert.ok(examples.length >= 7);
  assert.deepEqual(said.filter((line) => !line.startsWith("mistakes")), []);
});

test("a wrong payload, an unknown RPC, a wrong or missing argument and a wrong thing to watch do not compile", () => {
  const lines = said.map((line) => Number(/^mistakes\.ts\((\d+),/.exec(line)?.[1])).filter(Boolean);
  assert.deepEqual([...new Set(lines)], mistakes.map((_, at) => at + before.split("\n").length), said.join("\n"));
});
