// Parts are added, removed, put into a schema of their own, printed as SQL, and refused with a sentence.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Database, Releases } from "./harness.mjs";
import { changes, release } from "./releases.mjs";

let server;
let head;
before(async () => {
  server = await new Releases("parts").start();
  head = release();
});
after(() => server?.stop());

async function installed(...args) {
  const database = await server.database();
  const { code, stderr } = await database.migrate(head, ...args);
  assert.equal(code, 0, stderr);
  return database;
}
const parts = (database) => database.values("select part || case when schema = 'public' then '' else ' in ' || schema end || case when asked or part in ('engine', 'platform') then '' else ' (needed)' end from mill.part order by 1");

test("without --with only the base parts are installed", async () => {
  assert.deepEqual(await parts(await installed()), ["engine", "platform"]);
});

test("an application brings the library that it needs, and can be added later", async () => {
  const database = await installed();
  const { code, stdout } = await database.migrate(head, "--with", "reports");
  assert.equal(code, 0);
  assert.match(stdout, /installed: names, reports/);
  assert.deepEqual(await parts(database), ["engine", "names (needed)", "platform", "reports"]);
  assert.equal(await database.dump(), await (await installed("--with", "reports")).dump());
});

test("a joint part is there exactly when all that it joins is", async () => {
  const database = await installed("--with", "exports");
  await database.migrate(head, "--with", "compat");
  assert.ok((await parts(database)).includes("compat/exports (needed)"));
  await database.migrate(head, "--without", "compat", "--yes");
  assert.deepEqual(await parts(database), ["engine", "exports", "platform"]);
});

test("an unknown application is refused with the list of those that exist", async () => {
  const { code, stderr } = await (await server.database()).migrate(head, "--with", "export");
  assert.equal(code, 1);
  assert.match(stderr, /no application named export; known are: exports, reports, compat, all/);
});

test("--without says what would be lost, exits with 3, and changes nothing", async () => {
  const database = await installed("--with", "exports,reports");
  await database.query("insert into public.documents (id, title) values (1, 'a'), (2, 'b')");
  const before = await database.dump();
  const { code, stdout, stderr } = await database.migrate(head, "--without", "exports");
  assert.equal(code, 3);
  assert.match(stdout, /would remove: exports[\s\S]*table public\.documents: 2 rows/);
  assert.match(stderr, /--yes/);
  assert.equal(await database.dump(), before);
});

test("--without with --yes leaves the schema of a database that never had the application", async () => {
  const database = await installed("--with", "exports,reports,compat");
  await database.query("insert into public.documents (id, title) values (1, 'a')");
  const { code, stdout, stderr } = await database.migrate(head, "--without", "exports,reports", "--yes");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /removed: names, exports, reports, compat\/exports/);
  const never = await installed("--with", "compat");
  assert.equal(await database.dump(), await never.dump());
  assert.deepEqual(await parts(database), await parts(never));
  assert.equal((await database.migrate(head, "--with", "exports")).code, 0, "and it can be added again");
});

test("rows of a removed part go by mill.forget_part", async () => {
  const withForget = release((files) => {
    files["engine base"]["engine/forget_part.sql"] = `create or replace function mill.forget_part(p_part text) returns void
language sql as $$ delete from mill.queue q where q.part = p_part $$;\n`;
  });
  const database = await server.database();
  await database.migrate(withForget, "--with", "exports");
  await database.query("insert into mill.queue (queue) values ('mine')");
  assert.equal((await database.migrate(withForget, "--without", "exports", "--yes")).code, 0);
  assert.deepEqual(await database.values("select queue from mill.queue"), ["mine"]);
});

test("a table of the user that refers to ours keeps the application from being removed", async () => {
  const database = await installed("--with", "exports");
  await database.query("create table public.mine (id int references public.documents (id))");
  const before = await database.dump();
  const { code, stderr } = await database.migrate(head, "--without", "exports", "--yes");
  assert.equal(code, 1);
  assert.match(stderr, /table public\.mine[\s\S]*Drop them first, or keep the application\./);
  assert.doesNotMatch(stderr, /create them again/);
  assert.equal(await database.dump(), before);
});

test("what a user makes while a DO block runs is not taken for the application's", async () => {
  const slow = release((files) => {
    files["exports application"]["exports/slow.sql"] = `do $$
begin
  while not exists (select from public.signal) loop perform pg_sleep(0.02); end loop;
end
$$;\n`;
  });
  const database = await server.database();
  await database.query("create table public.signal (given boolean)");
  const running = database.migrate(slow, "--with", "exports");
  while ((await database.values("select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'")).length === 0);
  await database.query(`create table public.mine (id int); create function public.my_count() returns int language sql as 'select 1';
    create trigger mine before update on public.mine for each row execute function suppress_redundant_updates_trigger()`);
  await database.query("insert into public.signal values (true)");
  const { code, stderr } = await running;
  assert.equal(code, 0, stderr);
  assert.deepEqual(await database.values("select name from mill.object where name in ('public.mine', 'public.my_count', 'mine on public.mine')"), []);
  assert.equal((await database.migrate(slow, "--without", "exports", "--yes")).code, 0);
  assert.deepEqual(await database.values("select count(*)::int from public.mine where public.my_count() = 1"), [0]);
});

test("a function of the user with our name and other arguments outlives the application", async () => {
  const database = await installed("--with", "exports");
  await database.query("create function public.export(a text, b text) returns text language sql as 'select a || b'");
  const { code, stderr } = await database.migrate(head, "--without", "exports", "--yes");
  assert.equal(code, 0, stderr);
  assert.deepEqual(await database.values("select oid::regprocedure::text from pg_proc where proname = 'export'"), ["export(text,text)"]);
});

test("live jobs of the application are among what would be lost", async () => {
  const counting = release((files) => {
    files["engine base"]["engine/live_jobs_of_part.sql"] = `create or replace function mill.live_jobs_of_part(p_part text)
returns table (queue text, jobs bigint)
language sql stable as $$ select v.queue, v.jobs from (values ('exports', 'exports', 2), ('exports', 'shared', 1), ('exports', 'idle', 0), ('other', 'other', 5)) v(part, queue, jobs) where v.part = p_part $$;\n`;
  });
  const database = await server.database();
  assert.equal((await database.migrate(counting, "--with", "exports")).code, 0);
  const { code, stdout } = await database.migrate(counting, "--without", "exports");
  assert.equal(code, 3);
  assert.match(stdout, /queue exports: 2 live jobs\n\s*queue shared: 1 live job\n/);
  assert.doesNotMatch(stdout, /queue (idle|other)/);
});

test("what a file of a release before has made goes with its application", async () => {
  const earlier = release((files) => {
    files["exports application"]["exports/old_tables.sql"] = "create table public.old_list (id int references public.documents (id));\n";
    files["exports application"]["exports/old_view.sql"] = "create or replace view public.old_view as select d.id from public.documents d;\n";
  });
  const database = await server.database();
  assert.equal((await database.migrate(earlier, "--with", "exports")).code, 0);
  const { code, stdout, stderr } = await database.migrate(head, "--without", "exports", "--yes");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /table public\.old_list: 0 rows/);
  assert.equal(await database.dump(), await (await installed()).dump());
  assert.deepEqual(await database.values("select path from mill.object where path ~ '^exports/' union select path from mill.migration where path ~ '^exports/'"), []);
});

test("names that are taken are listed with the way out, and nothing is installed", async () => {
  const database = await server.database();
  await database.query("create table public.documents (mine int); create function public.export(a text) returns int language sql as 'select 1'");
  const before = await database.dump();
  const { code, stderr } = await database.migrate(head, "--with", "exports");
  assert.equal(code, 1);
  assert.match(stderr, /table public\.documents \(wanted by exports\)/);
  assert.match(stderr, /function public\.export \(wanted by exports\)/);
  assert.match(stderr, /--schema NAME/);
  assert.equal(await database.dump(), before);
});

test("a taken name of the engine has another way out", async () => {
  const database = await server.database();
  await database.query("create function public.add_item(a text) returns int language sql as 'select 1'");
  const { code, stderr } = await database.migrate(head);
  assert.equal(code, 1);
  assert.match(stderr, /function public\.add_item \(wanted by engine\)[\s\S]*Rename yours/);
});

test("an application goes into a schema of its own, is upgraded there, and takes the schema with it", async () => {
  const database = await server.database();
  await database.query("create table public.documents (mine int)");
  const { code, stderr } = await database.migrate(head, "--with", "exports", "--schema", "ours");
  assert.equal(code, 0, stderr);
  await database.query("insert into ours.documents (id, title) values (1, 'there')");
  assert.deepEqual(await database.values("select ours.export(1)"), ["there"]);
  assert.deepEqual(await database.values("select has_schema_privilege('authenticated', 'ours', 'usage')"), [true]);
  const next = await database.migrate(release((files) => {
    files["exports application"]["exports/export.sql"] = files["exports application"]["exports/export.sql"].replace("returns text", "returns varchar");
  }));
  assert.equal(next.code, 0, next.stderr);
  assert.match(next.stdout, /created anew: function ours\.export/);
  await database.migrate(head);
  const compat = await database.migrate(head, "--with", "compat");
  assert.equal(compat.code, 0, compat.stderr);
  assert.deepEqual(await database.values("select id from public.old_export"), [1]);
  const moved = await database.migrate(head, "--with", "exports", "--schema", "elsewhere");
  assert.equal(moved.code, 1);
  assert.match(moved.stderr, /exports is installed in schema ours already/);
  assert.equal((await database.migrate(head, "--without", "exports,compat", "--yes")).code, 0);
  assert.deepEqual(await database.values("select nspname from pg_namespace where nspname = 'ours'"), []);
  assert.deepEqual(await database.values("select count(*)::int from public.documents"), [0], "the user's own table is still there");
});

test("a schema whose name Postgres would put in quotes is refused", async () => {
  const database = await server.database();
  const words = await database.values("select word from pg_get_keywords() where quote_ident(word) <> word order by 1");
  assert.ok(words.includes("order") && words.length > 100);
  for (const word of [...words, "vault", "graphql_public"]) {
    const { code, stderr } = await database.migrate(head, "--sql", "--with", "exports", "--schema", word);
    assert.equal(code, 1, word);
    assert.match(stderr, /cannot be used: take a name of lowercase letters/);
  }
  const { code, stderr } = await database.migrate(head, "--with", "exports", "--schema", "action");
  assert.equal(code, 0, stderr);
});

test("compat in another schema is refused with the reason", async () => {
  const { code, stderr } = await (await server.database()).migrate(head, "--with", "compat", "--schema", "ours");
  assert.equal(code, 1);
  assert.match(stderr, /compat cannot go to another schema: it holds names that existing callers use/);
});

test("--sql installs the same by psql, and migrate finds it up to date", async () => {
  for (const args of [[], ["--with", "all"], ["--with", "exports", "--schema", "ours"]]) {
    const database = await server.database();
    const { code, stdout, stderr } = await new Database(database.server, "nowhere").migrate(head, "--sql", ...args);
    assert.equal(code, 0, stderr);
    await database.psql(stdout);
    const fresh = await installed(...args);
    assert.equal(await database.dump(), await fresh.dump());
    const books = "select kind || name || path || coalesce(arguments, '') || coalesce(checksum, '') from mill.object order by 1";
    assert.deepEqual(await database.values(books), await fresh.values(books));
    assert.match((await database.migrate(head)).stdout, /up to date/);
  }
});

test("--sql fails before it changes anything when a name is taken", async () => {
  const { stdout: script } = await new Database(server.server, "nowhere").migrate(head, "--sql", "--with", "exports");
  const refused = async (taken, ...sentences) => {
    const database = await server.database();
    await database.query(taken);
    const before = await database.dump();
    const error = await database.psql(script).then(() => assert.fail("it was installed"), (error) => error);
    assert.match(error.stderr, /these names are taken in this database, so nothing was installed:/);
    for (const sentence of sentences) assert.match(error.stderr, sentence);
    assert.equal(await database.dump(), before);
  };
  await refused("create function public.export(p_id int) returns text language sql as $$ select 'mine' $$; create view public.documents as select 1 as mine",
    /^ {2}table public\.documents \(wanted by exports\)\n {2}function public\.export \(wanted by exports\)\nInstall .* --schema NAME/m);
  await refused("create function public.add_item(a int, b int) returns int language sql as 'select 1'", /^ {2}function public\.add_item \(wanted by engine\)\nRename yours/m);
  await refused("create schema mill", /^ {2}schema mill \(wanted by platform\)\nRename yours/m);
});

test("--dry-run prints SQL that does the same by psql, and changes nothing itself", async () => {
  const next = release((files) => {
    const { "a removed function": _, ...others } = changes;
    Object.values(others).forEach((change) => change(files));
  });
  const database = await installed("--with", "all");
  const before = await database.dump();
  const { code, stdout } = await database.migrate(next, "--dry-run");
  assert.equal(code, 0);
  assert.match(stdout, /^-- sql\/engine\/size_of\.sql$/m);
  assert.equal(await database.dump(), before);
  await database.psql(stdout);
  const other = await installed("--with", "all");
  await other.migrate(next);
  assert.equal(await database.dump(), await other.dump());
  assert.match((await database.migrate(next)).stdout, /up to date/);
});

test("--dry-run of a removal says at its head what would be lost", async () => {
  const database = await installed("--with", "exports");
  await database.query("insert into public.documents (id, title) values (1, 'a')");
  const { code, stdout, stderr } = await database.migrate(head, "--dry-run", "--without", "exports");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^-- would remove: exports\n(-- {3}.*\n)*-- {3}table public\.documents: 1 row\n(-- {3}.*\n)*begin;\n/);
  await database.psql(stdout);
  assert.equal(await database.dump(), await (await installed()).dump());
});

test("rows that a part's files insert carry the part's name, and rows of users do not", async () => {
  const database = await installed("--with", "exports");
  await database.query("insert into mill.queue (queue) values ('mine')");
  assert.deepEqual(await database.values("select coalesce(part, 'none') from mill.queue order by queue"), ["exports", "none"]);
});
