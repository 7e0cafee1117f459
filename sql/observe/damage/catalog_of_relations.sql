-- Tables, views and sequences, with their columns and row level security.
create or replace function mill.catalog_of_relations() returns table (kind text, name text, belongs_to text, state text, mend text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with own as materialized (select r.relation, r.kind, r.name, r.kind || ' ' || r.name as itself from mill.own_relations() r),
  view as (
    select o.*, concat_ws(' ', 'create or replace view', o.name, 'with (' || array_to_string(c.reloptions, ', ') || ')', 'as')
      || e'\n' || pg_get_viewdef(c.oid) as text
    from own o join pg_class c on c.oid = o.relation where o.kind = 'view'
  ),
  attribute as (
    select o.name as relation, o.itself, quote_ident(a.attname) as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull,
      a.attgenerated, a.attidentity, pg_get_expr(d.adbin, d.adrelid) as value
    from own o
    join pg_attribute a on a.attrelid = o.relation and a.attnum > 0 and not a.attisdropped and a.attinhcount = 0
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where o.kind = 'table'
  )
  select o.kind, o.name, o.itself, 'exists',
    case o.kind when 'sequence' then format('create sequence %s', o.name)
      else format('-- The rows of %s are gone. Restore the table from a backup: docs/backup.md', o.name) end
  from own o where o.kind <> 'view'
  union all
  -- Names of columns stand in the list: inside of a union Postgres writes some or leaves them out, as the text came to it.
  select 'view', v.name, v.itself,
    md5(regexp_replace(v.text, ' AS ("[^"]+"|\w+)', '', 'g')
      || (select string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a where a.attrelid = v.relation and a.attnum > 0)),
    v.text
  from view v
  union all
  select 'column', a.relation || '.' || a.name, a.itself,
    jsonb_strip_nulls(jsonb_build_object('type', a.type, 'is_not_null', a.attnotnull, 'identity', nullif(a.attidentity, ''),
      'generated', case when a.attgenerated <> '' then a.value end, 'default', case when a.attgenerated = '' then a.value end))::text,
    concat_ws(' ', 'alter table', a.relation, 'add column', a.name, a.type,
      case
        when a.attidentity <> '' then format('generated %s as identity', case a.attidentity when 'a' then 'always' else 'by default' end)
        when a.attgenerated <> '' then format('generated always as (%s) stored', a.value)
        when a.value is not null then 'default ' || a.value
      end,
      case when a.attnotnull then 'not null' end)
  from attribute a
  union all
  select 'row level security', o.name, o.itself, concat_ws(', ', 'on', case when c.relforcerowsecurity then 'forced' end),
    format('alter table %s enable row level security', o.name) || case when c.relforcerowsecurity then format('; alter table %s force row level security', o.name) else '' end
  from own o join pg_class c on c.oid = o.relation
  where o.kind = 'table' and c.relrowsecurity
$$;

comment on function mill.catalog_of_relations() is 'The relations of the release, their columns and their row level security, as rows of mill.catalog.';
revoke execute on function mill.catalog_of_relations() from public;
