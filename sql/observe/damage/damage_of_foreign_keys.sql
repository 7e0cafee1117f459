-- `alter table … disable trigger all` also switches off the triggers by which Postgres checks foreign keys. They have no place in mill.catalog, because
-- their names differ in each database.
create or replace function mill.damage_of_foreign_keys() returns table (finding text, mend text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select format('foreign keys of %s are not checked', r.name), format('alter table %s enable trigger all', r.name)
  from mill.own_relations() r
  where r.kind = 'table' and exists (select from pg_trigger t where t.tgrelid = r.relation and t.tgisinternal and t.tgenabled = 'D')
$$;

comment on function mill.damage_of_foreign_keys() is 'Tables whose foreign keys were switched off, each with the SQL that mends it.';
revoke execute on function mill.damage_of_foreign_keys() from public;
