-- What stands on a table: indexes, constraints, triggers and policies. Of a partition only what is its own.
create or replace function mill.catalog_of_tables() returns table (kind text, name text, belongs_to text, state text, mend text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with own as materialized (
    select r.relation, r.name, r.kind || ' ' || r.name as itself from mill.own_relations() r where r.kind in ('table', 'view')
  ),
  -- A table in another schema is the user's as well: only triggers and policies that a file has made are ours.
  booked as materialized (select o.kind, o.name from mill.object o where o.kind in ('trigger', 'policy'))
  select 'index', c.oid::regclass::text, o.itself, pg_get_indexdef(c.oid) || case when i.indisvalid then '' else ' invalid' end, pg_get_indexdef(c.oid)
  from own o
  join pg_index i on i.indrelid = o.relation
  join pg_class c on c.oid = i.indexrelid
  where not c.relispartition
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid and k.contype in ('p', 'u', 'x'))
  union all
  select 'constraint', format('%I on %s', k.conname, o.name), o.itself, pg_get_constraintdef(k.oid),
    format('alter table %s add constraint %I %s', o.name, k.conname, pg_get_constraintdef(k.oid))
  from own o
  join pg_constraint k on k.conrelid = o.relation
  where k.contype in ('c', 'f', 'p', 'u', 'x') and k.conparentid = 0 and k.coninhcount = 0
  union all
  select 'trigger', format('%I on %s', t.tgname, o.name), o.itself,
    pg_get_triggerdef(t.oid) || case t.tgenabled when 'O' then '' else ' enabled ' || t.tgenabled::text end, pg_get_triggerdef(t.oid)
  from own o
  join pg_trigger t on t.tgrelid = o.relation and not t.tgisinternal and t.tgparentid = 0
  where o.name like 'mill.%' or exists (select from booked b where b.kind = 'trigger' and b.name = t.tgname || ' on ' || o.name)
  union all
  select 'policy', format('%I on %s', p.polname, o.name), o.itself, s.state,
    format('drop policy if exists %I on %s; create policy %1$I on %2$s as %s for %s to %s', p.polname, o.name,
      case when p.polpermissive then 'permissive' else 'restrictive' end,
      case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end, s.roles)
    || coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
    || coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')
  from own o
  join pg_policy p on p.polrelid = o.relation
  cross join lateral (
    select case when p.polroles = '{0}' then 'public'
      else (select string_agg(quote_ident(r.rolname), ', ' order by r.rolname) from pg_roles r where r.oid = any (p.polroles)) end as roles) q
  cross join lateral (
    select q.roles, concat_ws(' | ', p.polcmd, p.polpermissive, q.roles, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) as state) s
  where o.name like 'mill.%' or exists (select from booked b where b.kind = 'policy' and b.name = p.polname || ' on ' || o.name)
$$;

comment on function mill.catalog_of_tables() is 'The indexes, constraints, triggers and policies of the release, as rows of mill.catalog.';
revoke execute on function mill.catalog_of_tables() from public;
