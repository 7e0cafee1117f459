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
import { fill } from "./live/fill.mjs";

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
