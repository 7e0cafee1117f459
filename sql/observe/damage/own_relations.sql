-- The relations that a release has made. All of schema mill are ours, but for the partitions of days and months: they come and go with the time.
-- In other schemas those that the files have made, as mill.object has them.
create or replace function mill.own_relations() returns table (relation oid, kind text, name text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select c.oid, k.kind, format('%I.%I', n.nspname, c.relname)
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join (values ('r', 'table'), ('p', 'table'), ('v', 'view'), ('S', 'sequence')) k(relkind, kind) on k.relkind = c.relkind::text
  where (n.nspname = 'mill'
      or exists (select from mill.object o where o.name = n.nspname || '.' || c.relname and o.kind in ('table', 'view', 'sequence')))
    and not (c.relispartition and c.relname ~ '_[0-9]+$')
    -- The sequence of an identity column goes with its table.
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('e', 'i') and c.relkind in ('S', 'r', 'v'))
$$;

comment on function mill.own_relations() is 'The tables, views and sequences of the installed release, without the partitions that time makes.';
revoke execute on function mill.own_relations() from public;
