-- The same rows as mill.catalog, as Postgres has them now.
create or replace function mill.catalog_now() returns table (kind text, name text, belongs_to text, state text, mend text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select * from mill.catalog_of_routines()
  union all
  select * from mill.catalog_of_relations()
  union all
  select * from mill.catalog_of_tables()
  union all
  select * from mill.catalog_of_grants()
$$;

comment on function mill.catalog_now() is 'What is there of the installed release, as rows of mill.catalog.';
revoke execute on function mill.catalog_now() from public;
