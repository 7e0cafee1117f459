// Makes the dump of a release: a full installation in the middle of its work, as plain SQL. Later releases are tested by migrating it.
//   node tests/upgrade/make_release_dump.mjs VERSION      writes tests/upgrade/VERSION.sql
//
// Everything is made by the calls, and under the roles, that make it in a deployment. Postgres 15 makes the dump, without pg_cron, so that
// it can be restored on every version that is supported: psql -f VERSION.sql into an empty database.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { Server } from "../../scripts/lib/stack/server.mjs";
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
  for (const { fill } of [engine, workflows, documents, exports_, refresh, compat]) await fill(actors);
  await engine.round(actors);
  for (const { lose } of [workflows, documents, refresh, engine]) await lose(actors);
  await engine.finish(actors);
}

/** The text of the dump, made anew. */
export async function releaseDump(version) {
  const server = new Server("release", { postgres: "debian", settings: { shared_preload_libraries: "" } });
  try {
    await server.start();
    const database = await server.create("release");
    const { code, stdout, stderr } = await server.gristmill(database, "migrate", "--with", "all");
    if (code !== 0) throw new Error(`gristmill migrate --with all failed\n${stdout}${stderr}`);
    await server.connected(database, fill);
    const dump = await server.dump(database, "--no-owner", "--exclude-schema=cron", "--exclude-schema=net", "--extension=plpgsql");
    return heading(version) + dump.replace(/^\\(?:un)?restrict .*\n/gm, "").replace("CREATE SCHEMA public;\n", "") + fs.readFileSync(path.join(here, "to_now.sql"), "utf8");
  } finally {
    await server.destroy();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version] = process.argv.slice(2);
  const file = path.join(here, `${version}.sql`);
  const text = await releaseDump(version);
  fs.writeFileSync(file, text);
  console.log(`${path.relative(process.cwd(), file)} has ${text.split("\n").length - 1} lines`);
}
