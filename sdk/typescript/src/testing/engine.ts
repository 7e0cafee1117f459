// The engine in this process: Postgres as WebAssembly, started from a saved image in which the engine's SQL is installed.
import type { PGlite, PGliteOptions } from "@electric-sql/pglite";

const IMAGE = new URL("../../image/engine.tar.gz", import.meta.url);

// Read and compiled once per process; every database has its own memory.
let parts: Promise<PGliteOptions> | undefined;

async function read(): Promise<PGliteOptions> {
  const { readFile } = await import("node:fs/promises" as string) as { readFile: (file: URL) => Promise<Uint8Array<ArrayBuffer>> };
  const blob = async (file: URL, type: string) => new Blob([await readFile(file)], { type });
  const image = await blob(IMAGE, "application/x-gzip");
  try {
    const file = (name: string) => new URL(import.meta.resolve(`@electric-sql/pglite/${name}`));
    return { loadDataDir: image, pgliteWasmModule: await WebAssembly.compile(await readFile(file("pglite.wasm"))), fsBundle: await blob(file("pglite.data"), "application/octet-stream") };
  } catch {
    // Where files of a package cannot be found by name, PGlite reads them again for each database.
    return { loadDataDir: image };
  }
}

/** A database of its own with the engine and nothing else. */
export async function startEngine(): Promise<PGlite> {
  let module: typeof import("@electric-sql/pglite");
  try {
    module = await import("@electric-sql/pglite");
  } catch (cause) {
    throw new Error("gristmill/testing needs PGlite: npm install --save-dev @electric-sql/pglite@0.5", { cause });
  }
  parts ??= read();
  const db = new module.PGlite(await parts);
  try {
    await db.waitReady;
  } catch (cause) {
    throw new Error("PGlite cannot open the image of the engine, which was made with PGlite 0.5: use that version", { cause });
  }
  return db;
}

// Rows that are there when a test begins are kept aside once; a reset compares each table with what was kept and writes only what has changed. A changed row
// has a newer xmin, and a deleted one is missing in the count. The books of migrate never change here. The image has all this, with the rows of the engine:
// making it anew for each test file took as long as starting.
/** For the image: scripts/lib/testing-image.mjs. */
export const KEEP = `
  create schema gristmill_testing;
  create unlogged table gristmill_testing.kept (relation oid primary key, rows bigint not null, newest bigint, content jsonb);
  create unlogged table gristmill_testing.kept_sequence (relation oid primary key, last bigint, called boolean);

  create function gristmill_testing.tables(out relation oid, out name regclass, out columns text) returns setof record language sql as $$
    select c.oid, c.oid::regclass, (
      select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'gristmill_testing') and n.nspname !~ '^pg_(toast|temp)'
      and (n.nspname, c.relname) not in (('mill', 'part'), ('mill', 'migration'), ('mill', 'object'))
  $$;

  create function gristmill_testing.changed(out relation oid, out name regclass, out columns text, out rows bigint, out newest bigint) returns setof record language plpgsql as $$
  declare
    v_rows bigint;
    v_newest bigint;
  begin
    for relation, name, columns, rows, newest in
      select t.relation, t.name, t.columns, k.rows, k.newest from gristmill_testing.tables() t left join gristmill_testing.kept k on k.relation = t.relation
    loop
      execute format('select count(*), max(xmin::text::bigint) from only %s', name) into v_rows, v_newest;
      continue when v_rows = coalesce(rows, 0) and v_newest is not distinct from newest;
      return next;
    end loop;
  end
  $$;

  create procedure gristmill_testing.keep() language plpgsql as $$
  declare
    v_table record;
    v_sequence record;
  begin
    for v_table in select c.* from gristmill_testing.changed() c loop
      execute format(
        'insert into gristmill_testing.kept as k (relation, rows, newest, content)
         select %s, count(*), max(r.xmin::text::bigint), jsonb_agg(to_jsonb(r)) from only %s r
         on conflict (relation) do update set rows = excluded.rows, newest = excluded.newest, content = excluded.content',
        v_table.relation, v_table.name);
    end loop;
    delete from gristmill_testing.kept_sequence;
    for v_sequence in select s.oid, s.oid::regclass as name from pg_class s where s.relkind = 'S' loop
      execute format('insert into gristmill_testing.kept_sequence select %s, last_value, is_called from %s', v_sequence.oid, v_sequence.name);
    end loop;
  end
  $$;

  create procedure gristmill_testing.reset() language plpgsql as $$
  declare
    v_table record;
  begin
    set local session_replication_role = replica; -- no triggers, no foreign keys: rows come and go in any order
    for v_table in select c.* from gristmill_testing.changed() c loop
      execute format('delete from only %s', v_table.name);
      if v_table.rows > 0 then
        execute format(
          'insert into %s (%s) overriding system value select %2$s from jsonb_populate_recordset(null::%1$s, (select k.content from gristmill_testing.kept k where k.relation = %3$s))',
          v_table.name, v_table.columns, v_table.relation);
        update gristmill_testing.kept k set newest = pg_current_xact_id()::text::bigint where k.relation = v_table.relation;
      end if;
    end loop;
    perform setval(s.relation::regclass, s.last, s.called)
    from gristmill_testing.kept_sequence s join pg_sequences q on format('%I.%I', q.schemaname, q.sequencename)::regclass = s.relation
    where q.last_value is distinct from case when s.called then s.last end;
  end
  $$;

  call gristmill_testing.keep();`;

/** From now on resetRows() brings back the rows that are there. */
export async function keepRows(db: PGlite): Promise<void> {
  await db.exec("call gristmill_testing.keep()");
}

export async function resetRows(db: PGlite): Promise<void> {
  await db.exec("call gristmill_testing.reset()");
}
