// What runs a file of pgTAP tests: the database that it is copied from, its text, and how its answers are read.
import fs from "node:fs";
import path from "node:path";
import pg from "pg";

import { statements } from "./statements.mjs";

export const TEMPLATE = "template_tap";
export const addressOf = (stack, database) => stack.databaseUrl.replace(/gristmill$/, database);

export const filesIn = (folder) => fs.readdirSync(folder, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".sql") && path.basename(entry.parentPath) !== "rules")
  .map((entry) => path.join(entry.parentPath, entry.name));

/** A migrated database with pgTAP, to be copied. The live database cannot be copied: pg_cron and the relay are connected to it. */
export async function prepareTemplate(stack, others = []) {
  await stack.postgres.query(`create database ${TEMPLATE}`);
  const url = addressOf(stack, TEMPLATE);
  const saved = stack.postgres.url;
  stack.postgres.url = () => url;
  await stack.migrate();
  await stack.gristmill("relay", "--install-only");
  await stack.gristmill("configure", "--functions-url", "http://127.0.0.1:9/functions/v1");
  stack.postgres.url = saved;
  for (const database of [TEMPLATE, ...others]) await installTap(stack, database);
}

// pgTAP is plain SQL. It is loaded as such, because the embedded Postgres has no extension folder of ours.
async function installTap(stack, database) {
  const source = fs.globSync
    ? fs.globSync("/usr/share/postgresql/*/extension/pgtap--?.?.?.sql")[0]
    : fs.readdirSync("/usr/share/postgresql/15/extension").filter((name) => /^pgtap--\d+\.\d+\.\d+\.sql$/.test(name))
        .map((name) => `/usr/share/postgresql/15/extension/${name}`)[0];
  if (!source) throw new Error("pgTAP is missing: apt-get install postgresql-15-pgtap");
  const text = fs.readFileSync(source, "utf8").replace(/^\\echo.*$/m, "").replaceAll("@extschema@", "tap");
  await withClient(stack, database, async (client) => {
    await client.query("create schema tap; grant usage on schema tap to public");
    await client.query("set search_path = tap, pg_catalog");
    await client.query(text);
  });
}

/** The text of a test, with the files that it includes. */
export function textOf(file) {
  return fs.readFileSync(file, "utf8").replace(/^-- include: (\w+)\/\*\.sql$/gm, (_, name) => included(path.join(path.dirname(file), name)));
}

function included(folder) {
  return fs.readdirSync(folder).sort().map((name) => fs.readFileSync(path.join(folder, name), "utf8")).join("\n");
}

/**
 * Runs a test's statements one by one, to the first error. `until` ends it early, once an answer is known to be enough.
 * @returns {{ok: number, notOk: number, planned: number, failure: string|null, tap: string[], passed: boolean}}
 */
export async function runTap(client, text, until = () => false) {
  await client.query("set search_path = tap, public, pg_catalog");
  const tap = [];
  let failure = null;
  for (const statement of statements(text)) {
    try {
      const { rows, fields } = await client.query({ text: statement, rowMode: "array" });
      if (fields?.length === 1) tap.push(...rows.flatMap(([value]) => String(value ?? "").split("\n")));
    } catch (error) {
      failure = `${error.code ?? ""} ${error.message}\n    in: ${statement.trim().slice(0, 200)}`;
      break;
    }
    if (until(tap)) break;
  }
  const planned = Number(/^1\.\.(\d+)/.exec(tap.find((line) => /^1\.\.\d+/.test(line)) ?? "")?.[1] ?? NaN);
  const ok = tap.filter((line) => /^ok \d+/.test(line)).length;
  const notOk = tap.filter((line) => /^not ok \d+/.test(line)).length;
  return { ok, notOk, planned, failure, tap, passed: failure === null && notOk === 0 && ok === planned && ok > 0 };
}

export async function withClient(stack, database, work) {
  const client = new pg.Client({ connectionString: addressOf(stack, database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
