-- For gristmill doctor, the console and health: what is not as the installed release has made it. Nothing is changed. The SQL of a finding may be
-- several statements; the owner of the schema can run all of them.
create or replace function mill.damage() returns table (finding text, mend text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'nothing is on record about what the release has made', '-- Run: gristmill migrate' where not exists (select from mill.catalog)
  union all
  -- In the order in which it can be mended.
  (select d.finding, d.mend from mill.damage_of_catalog() d
   order by array_position(array['sequence', 'table', 'column', 'function', 'procedure', 'view', 'index', 'constraint', 'trigger', 'policy'], d.kind), d.finding)
  union all
  select d.finding, d.mend from mill.damage_of_foreign_keys() d
  union all
  select d.finding, d.mend from mill.damage_of_schedules() d
$$;

comment on function mill.damage() is 'Whatever is missing, changed, switched off or too open in this installation, as (finding, mend). mend: the SQL that restores it.';
revoke execute on function mill.damage() from public;
