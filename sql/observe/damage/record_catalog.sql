-- gristmill migrate calls both in its transaction, before its first and after its last change. Only what the migration itself has changed is
-- written down: what was damaged before, and was not mended by the migration, stays on record as it should be. Where nothing is on record,
-- as in a fresh installation, everything is written down.
create or replace function mill.note_catalog() returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  delete from mill.catalog_before;
  insert into mill.catalog_before (kind, name, state) select c.kind, c.name, c.state from mill.catalog_now() c
$$;

comment on function mill.note_catalog() is 'Remembers for the rest of the transaction what is there, for mill.record_catalog.';
revoke execute on function mill.note_catalog() from public;

create or replace function mill.record_catalog() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_postgres int := current_setting('server_version_num')::int / 10000;
  v_is_first boolean := not exists (select from mill.catalog);
  v_count int;
begin
  if not v_is_first and not exists (select from mill.catalog_before) then
    return 0;
  end if;

  with after as materialized (select c.* from mill.catalog_now() c),
  gone as (
    delete from mill.catalog c
    using mill.catalog_before b
    where (b.kind, b.name) = (c.kind, c.name)
      and not exists (select from after a where (a.kind, a.name) = (c.kind, c.name))
  )
  insert into mill.catalog as c (kind, name, belongs_to, state, mend, postgres)
  select a.kind, a.name, a.belongs_to, a.state, a.mend, v_postgres
  from after a
  left join mill.catalog_before b on (b.kind, b.name) = (a.kind, a.name)
  where b.state is distinct from a.state or v_is_first
  on conflict (kind, name) do update set
    belongs_to = excluded.belongs_to, state = excluded.state, mend = excluded.mend, postgres = excluded.postgres;
  get diagnostics v_count = row_count;
  delete from mill.catalog_before;
  return v_count;
end
$$;

comment on function mill.record_catalog() is 'Writes into mill.catalog what has changed since mill.note_catalog, or everything where it is empty; says how many things.';
revoke execute on function mill.record_catalog() from public;
