// Makes what later releases are tested with: the dump of a full installation in the middle of its work, as plain SQL, and the list of
// the calls that its functions and workers make.
//   node tests/upgrade/make_release_dump.mjs VERSION      writes tests/upgrade/VERSION.sql and VERSION.calls.json
//
// Everything is made by the calls, and under the roles, that make it in a deployment. Postgres 15 makes the dump, without pg_cron, so that
// it can be restored on every version that is supported: psql -f VERSION.sql into an empty database.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { Server } from "../../sdk/local/stack/server.mjs";
import { callsOfThisCheckout, refusals, withRoles, written } from "./calls.mjs";
import { actorsOf } from "./live/actors.mjs";
import * as compat from "./live/compat.mjs";
import * as documents from "./live/documents.mjs";
import * as engine from "./live/engine.mjs";
import * as exports_ from "./live/exports.mjs";
import * as refresh from "./live/refresh.mjs";
import * as workflows from "./live/workflows.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

const heading = (version) => `-- Gristmill ${version} in the middle of its work. Made by scripts/release-dump; never edited, and never made again after the release.
-- Restore it into an empty database: psql -v ON_ERROR_STOP=1 -f ${version}.sql

do $$
declare
  v_role text;
begin
  foreach v_role in array array['anon', 'authenticated', 'service_role', 'authenticator'] loop
    if not exists (select from pg_roles r where r.rolname = v_role) then
      execute format('create role %I nologin noinherit', v_role);
    end if;
  end loop;
  alter role service_role bypassrls;
  grant anon, authenticated, service_role to authenticator;
end
$$;

`;

/** Fills an installation with work in every state. */
export async function fill(client) {
  const actors = actorsOf(client);
  const giveBack = await engine.slowRetries(actors);
  for (const { fill } of [engine, workflows, documents, exports_, refresh, compat]) await fill(actors);
  await engine.round(actors);
  for (const { lose } of [workflows, documents, refresh, engine]) await lose(actors);
  await giveBack();
  await engine.finish(actors);
  await checkFilled(client);
}

// What the tests of upgrades are about. A kind whose jobs are only waited for by a machine (mail) needs no other state.
const FILLED = {
  echo: ["pending", "deferred", "retrying", "processing", "lost", "asked to cancel", "completed", "cancelled", "failed"],
  mail: ["packed", "processing", "lost"],
  letter: ["pending", "packed"],
  weekly_report: ["pending", "processing"],
  brittle_call: ["retrying"],
  calculation: ["pending"],
  fast_queue_security: ["pending", "processing", "completed", "cancelled"],
  fast_queue_ocr: ["pending", "processing", "lost", "completed", "failed"],
  fast_queue_spatial: ["pending", "processing", "completed"],
  ai_queue_pass1: ["pending", "processing", "completed"],
  ai_queue_pass2: ["pending", "processing", "completed"],
  ai_queue_pass3: ["pending", "processing", "completed"],
  export_pdf: ["pending", "retrying", "processing", "completed", "cancelled", "failed"],
  "refresh.quote": ["pending", "retrying", "processing", "lost", "completed", "failed"],
  "refresh.profile": ["pending"],
};

/** A dump that lacks a state would test less, and nobody would notice. */
async function checkFilled(client) {
  const { rows } = await client.query(`
    select distinct j.kind || ' ' || case when j.cancel_requested then 'asked to cancel' when j.lease_until < clock_timestamp() then 'lost' else j.state end as state from mill.job j
    union select distinct p.kind || ' packed' from mill.packed_job p
    union select 'breaker ' || b.state from mill.breaker b where b.target = 'brittle'`);
  const there = new Set(rows.map(({ state }) => state));
  const missing = [...Object.entries(FILLED).flatMap(([kind, states]) => states.map((state) => `${kind} ${state}`)), "breaker open"]
    .filter((state) => !there.has(state));
  if (missing.length > 0) throw new Error(`the database has no job in these states: ${missing.join(", ")}`);
}

/** The text of the dump, and the calls. */
async function make(version) {
  const server = new Server("release", { postgres: "debian", settings: { shared_preload_libraries: "" } });
  try {
    await server.start();
    const database = await server.create("release");
    const { code, stdout, stderr } = await server.gristmill(database, "migrate", "--with", "all");
    if (code !== 0) throw new Error(`gristmill migrate --with all failed\n${stdout}${stderr}`);
    const calls = await server.connected(database, async (client) => {
      await fill(client);
      return checkedCalls(client);
    });
    const dump = await server.dump(database, "--no-owner", "--exclude-schema=cron", "--exclude-schema=net");
    const toNow = fs.readFileSync(path.join(here, "to_now.sql"), "utf8");
    return { calls, dump: heading(version) + short(dump).replace("CREATE SCHEMA public;\n", "") + toNow };
  } finally {
    await server.destroy();
  }
}

/** Without the headings of pg_dump, which are a quarter of its lines, and without the random keys of its newer versions. */
const short = (dump) => dump.replace(/^--\n-- (?:Name|Data for Name): .*\n--\n\n/gm, "").replace(/^\\(?:un)?restrict .*\n/gm, "");

/** A call that the release itself refuses was read wrongly out of the sources. */
async function checkedCalls(client) {
  const calls = await withRoles(client, callsOfThisCheckout());
  const refused = await refusals(client, calls);
  if (refused.length > 0) throw new Error(`these calls do not fit the schema of the release itself:\n  ${refused.join("\n  ")}`);
  return calls;
}

const [version] = process.argv.slice(2);
const { dump, calls } = await make(version);
for (const [name, text] of [[`${version}.sql`, dump], [`${version}.calls.json`, written(calls)]]) {
  fs.writeFileSync(path.join(here, name), text);
  console.log(`tests/upgrade/${name} has ${text.split("\n").length - 1} lines`);
}
