-- What each role may do with each thing of the release, but for its owner. A row per thing and role.
create or replace function mill.catalog_of_grants() returns table (kind text, name text, belongs_to text, state text, mend text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with thing as (
    select r.kind || ' ' || r.name as itself, r.kind || ' ' || r.name as target, p.proowner as owner,
      coalesce(p.proacl, acldefault('f', p.proowner)) as acl, '' as columns
    from mill.own_routines() r join pg_proc p on p.oid = r.routine
    union all
    select r.kind || ' ' || r.name, case r.kind when 'sequence' then 'sequence ' else 'table ' end || r.name, c.relowner,
      coalesce(c.relacl, acldefault(case r.kind when 'sequence' then 's' else 'r' end::"char", c.relowner)), ''
    from mill.own_relations() r join pg_class c on c.oid = r.relation
    union all
    select r.kind || ' ' || r.name, 'table ' || r.name, c.relowner, a.attacl, format(' (%I)', a.attname)
    from mill.own_relations() r
    join pg_class c on c.oid = r.relation
    join pg_attribute a on a.attrelid = r.relation and a.attnum > 0 and not a.attisdropped and a.attacl is not null
    union all
    select 'schema ' || n.nspname, format('schema %I', n.nspname), n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner)), ''
    from pg_namespace n
    where n.nspname = 'mill' or exists (select from mill.object o where o.kind = 'schema' and o.name = n.nspname)
  )
  select 'grant', t.target || t.columns || ' to ' || g.grantee, t.itself, string_agg(lower(g.privilege), ', ' order by g.privilege),
    format('grant %s on %s to %s', string_agg(lower(g.privilege) || t.columns, ', ' order by g.privilege), t.target, g.grantee)
  from thing t
  cross join lateral (
    select case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as grantee, a.privilege_type as privilege
    from aclexplode(t.acl) a where a.grantee <> t.owner) g
  group by t.target, t.columns, t.itself, g.grantee
$$;

comment on function mill.catalog_of_grants() is 'The grants on what the release has made, as rows of mill.catalog.';
revoke execute on function mill.catalog_of_grants() from public;
