// Runs tests/sql/<function>/<behaviour>.sql, each in a database of its own, copied from a migrated
// template: a test may commit what it likes.
//   node pgtap.mjs embedded|debian [PATH…]
//
// Lines at the top of a file that steer it:
//   -- live: runs in the database that pg_cron or the relay serves
//   -- needs: EXTENSION      skipped, and said so, where the server does not offer it
//   -- include: rules/*.sql  anywhere: the files of that folder beside it, which are no tests themselves
import fs from "node:fs";
import path from "node:path";
import pg from "pg";

import { root } from "../../../sdk/local/stack/paths.mjs";
import { Stack } from "../../../sdk/local/stack/stack.mjs";
import { statements } from "./statements.mjs";

const [flavour, ...only] = process.argv.slice(2);
const folder = path.join(root, "tests/sql");
const files = (only.length > 0 ? only : [folder]).map((place) => path.resolve(place)).flatMap((place) => (fs.statSync(place).isDirectory() ? find(place) : [place])).sort();

const stack = new Stack(`sql-${flavour}-${process.pid}`, { postgres: flavour, parts: ["relay"] });
const totals = { passed: 0, failed: 0, skipped: 0 };
let databases = 0;
try {
  await stack.start();
  await prepareTemplate();
  for (const file of files) await runFile(file);
} finally {
  await stack.destroy();
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(totals.failed > 0 ? 1 : 0);

function find(folder) {
  return fs.readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".sql") && path.basename(entry.parentPath) !== "rules")
    .map((entry) => path.join(entry.parentPath, entry.name));
}

// The live database cannot be copied: pg_cron and the relay are connected to it.
async function prepareTemplate() {
  await stack.postgres.query("create database template_tap");
  const url = stack.databaseUrl.replace(/gristmill$/, "template_tap");
  const saved = stack.postgres.url;
  stack.postgres.url = () => url;
  await stack.migrate();
  await stack.gristmill("relay", "--install-only");
  await stack.gristmill("configure", "--functions-url", "http://127.0.0.1:9/functions/v1");
  stack.postgres.url = saved;
  for (const database of ["template_tap", "gristmill"]) await installTap(database);
}

// pgTAP is plain SQL. It is loaded as such, because the embedded Postgres has no extension folder of ours.
async function installTap(database) {
  const source = fs.globSync
    ? fs.globSync("/usr/share/postgresql/*/extension/pgtap--?.?.?.sql")[0]
    : fs.readdirSync("/usr/share/postgresql/15/extension").filter((name) => /^pgtap--\d+\.\d+\.\d+\.sql$/.test(name))
        .map((name) => `/usr/share/postgresql/15/extension/${name}`)[0];
  if (!source) throw new Error("pgTAP is missing: apt-get install postgresql-15-pgtap");
  const text = fs.readFileSync(source, "utf8").replace(/^\\echo.*$/m, "").replaceAll("@extschema@", "tap");
  await withClient(database, async (client) => {
    await client.query("create schema tap; grant usage on schema tap to public");
    await client.query("set search_path = tap, pg_catalog");
    await client.query(text);
  });
}

async function runFile(file) {
  const name = path.relative(folder, file).replace(/\.sql$/, "");
  const text = fs.readFileSync(file, "utf8").replace(/^-- include: (\w+)\/\*\.sql$/gm, (_, name) => included(path.join(path.dirname(file), name)));
  const extension = /^-- needs: (\w+)$/m.exec(text)?.[1];
  if (extension && !(await offers(extension))) {
    totals.skipped += 1;
    console.log(`skipped ${name} (${flavour} Postgres has no ${extension})`);
    return;
  }
  const isLive = /^-- live:/m.test(text);
  // Not dropped one by one: DROP DATABASE waits for a word of every process, and pg_cron's is silent for as
  // long as one of its jobs runs, which is most of a minute. The whole cluster goes at the end.
  const database = isLive ? "gristmill" : `tap_${++databases}`;
  if (!isLive) await stack.postgres.query(`create database ${database} template template_tap`);
  const begun = performance.now();
  await withClient(database, (client) => runStatements(client, name, text));
  const seconds = (performance.now() - begun) / 1000;
  if (seconds > 3) console.log(`slow: ${name} took ${seconds.toFixed(1)} s`);
}

function included(folder) {
  return fs.readdirSync(folder).sort().map((name) => fs.readFileSync(path.join(folder, name), "utf8")).join("\n");
}

async function runStatements(client, name, text) {
  await client.query("set search_path = tap, public, pg_catalog");
  const lines = [];
  let failure = null;
  for (const statement of statements(text)) {
    try {
      const { rows, fields } = await client.query({ text: statement, rowMode: "array" });
      if (fields?.length === 1) lines.push(...rows.map(([value]) => String(value ?? "")));
    } catch (error) {
      failure = `${error.code ?? ""} ${error.message}\n    in: ${statement.trim().slice(0, 200)}`;
      break;
    }
  }
  const tap = lines.flatMap((line) => line.split("\n"));
  const planned = Number(/^1\.\.(\d+)/.exec(tap.find((line) => /^1\.\.\d+/.test(line)) ?? "")?.[1] ?? NaN);
  const ok = tap.filter((line) => /^ok \d+/.test(line)).length;
  const notOk = tap.filter((line) => /^not ok \d+/.test(line)).length;
  if (failure === null && notOk === 0 && ok === planned && ok > 0) {
    totals.passed += ok;
    return;
  }
  totals.passed += ok;
  totals.failed += Math.max(1, notOk);
  console.log(`FAILED ${name} (${flavour})`);
  if (failure) console.log(`  ${failure}`);
  else if (notOk === 0) console.log(`  planned ${planned}, ran ${ok}`);
  for (const line of tap.filter((line) => /^(not ok|#)/.test(line))) console.log(`  ${line}`);
}

async function offers(extension) {
  const { rowCount } = await stack.postgres.query("select from pg_available_extensions where name = $1", [extension]);
  return rowCount > 0;
}

async function withClient(database, work) {
  const client = new pg.Client({ connectionString: stack.databaseUrl.replace(/gristmill$/, database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
