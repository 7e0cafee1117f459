// gristmill migrate --sql: one plain file for the user's own migration tool, which does what gristmill migrate does.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { DUMP, plain } from "../../scripts/lib/schema/dump.mjs";
import { hasDebianPostgres } from "../../sdk/local/stack/postgres.mjs";
import { assertSame, House } from "./harness.mjs";

// What a fresh installation has in its tables, without the times and the partitions.
const REGISTERED = {
  part: "select part, schema, asked from mill.part order by 1",
  migration: "select path, checksum from mill.migration order by 1",
  object: "select to_jsonb(o)::text from mill.object o order by 1",
  queue: "select to_jsonb(q) - 'created_at' from mill.queue q order by q.queue",
  kind: "select to_jsonb(k) - 'created_at' || jsonb_build_object('first_asked_at', k.first_asked_at is not null) as kind from mill.kind k order by k.kind",
  settings: "select key, value, part from mill.settings order by 1",
  schedule: "select name, schedule, step, part from mill.schedule order by 1",
};

describe("migrate --sql", { concurrency: 2, skip: !hasDebianPostgres() && "psql and pg_dump come with Debian's Postgres 15" }, () => {
  let house;
  before(async () => {
    house = await new House("sql", { postgres: "debian" }).start();
    await house.database([]);
  });
  after(() => house?.destroy());

  for (const [name, args] of [["the engine alone", []], ["everything", ["--with", "all"]], ["exports in a schema of their own", ["--with", "exports", "--schema", "acme"]]]) {
    test(`${name}: psql makes of it the same database as gristmill migrate`, async () => {
      const [migrated, fed] = [await house.database(args), await house.database(null)];
      // No database is needed to print it: the address leads nowhere.
      const { code, stdout, stderr } = await house.server.gristmill("no_such_database", "migrate", ...args, "--sql");
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^begin;$/m);
      assert.match(stdout.trimEnd(), /commit;$/);
      await house.server.psql(fed, stdout);

      const dump = async (database) => plain(await house.server.dump(database, ...DUMP, ...(args.includes("acme") ? ["--schema=acme"] : [])));
      assertSame(await dump(fed), await dump(migrated));
      for (const [table, query] of Object.entries(REGISTERED)) {
        assert.deepEqual((await house.server.query(fed, query)).rows, (await house.server.query(migrated, query)).rows, `mill.${table}`);
      }
      const applied = (await house.server.query(fed, "select max(applied_at) as at from mill.migration")).rows;
      await house.migrate(fed);
      assert.deepEqual((await house.server.query(fed, "select max(applied_at) as at from mill.migration")).rows, applied, "a later migrate finds it up to date");
    });
  }
});
