create or replace function mill.catalog_of_routines() returns table (kind text, name text, belongs_to text, state text, mend text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.kind, r.name, r.kind || ' ' || r.name, md5(d.text), rtrim(d.text, e'\n')
  from mill.own_routines() r
  cross join lateral (select pg_get_functiondef(r.routine) as text) d
$$;

comment on function mill.catalog_of_routines() is 'The functions and procedures of the release, as rows of mill.catalog.';
revoke execute on function mill.catalog_of_routines() from public;
