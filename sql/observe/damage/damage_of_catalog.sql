-- Another major version of Postgres may have other words for the same thing, so there only what is missing counts, and bodies of routines.
create or replace function mill.damage_of_catalog() returns table (kind text, finding text, mend text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with now as materialized (select c.* from mill.catalog_now() c),
  was as materialized (
    select c as itself, c.kind, c.name, c.belongs_to, c.state, c.mend,
      c.postgres = current_setting('server_version_num')::int / 10000 or c.kind in ('function', 'procedure', 'grant') as is_comparable
    from mill.catalog c
  ),
  there as materialized (select distinct n.belongs_to from now n)
  -- Gone. What belongs to something that has gone as well is not worth a line of its own; its grants come back with it.
  select w.kind, case w.kind
      when 'row level security' then format('row level security of %s is off', w.name)
      else format('%s %s is missing', w.kind, w.name) end,
    concat_ws(e';\n',
      case when w.kind in ('function', 'procedure') then 'set check_function_bodies = off' end, -- it may call what is to be restored after it
      rtrim(w.mend, ';'),
      case when w.kind in ('function', 'procedure', 'view', 'sequence') then concat_ws(e';\n',
        format('revoke all on %s %s from public, anon, authenticated, service_role', case w.kind when 'view' then 'table' else w.kind end, w.name),
        (select string_agg(m.mend, e';\n' order by m.kind, m.name) from was m where m.belongs_to = w.belongs_to and m.kind in ('grant', 'trigger'))) end)
  from was w
  left join now n on (n.kind, n.name) = (w.kind, w.name)
  where n.kind is null and w.kind <> 'grant'
    and (w.belongs_to = w.kind || ' ' || w.name or w.belongs_to in (select t.belongs_to from there t))
  union all
  select w.kind, format('%s %s is %s', w.kind, w.name, case
      when w.kind = 'trigger' and n.state = w.state || ' enabled D' then 'disabled'
      when w.kind = 'index' and n.state = w.state || ' invalid' then 'invalid'
      else 'not as the release has made it' end),
    mill.mend_of_change(w.itself, n.state)
  from was w
  join now n on (n.kind, n.name) = (w.kind, w.name)
  where n.state <> w.state and w.kind <> 'grant' and w.is_comparable
  union all
  select w.kind, format('grant of %s on %s is missing', m.missing, w.name), w.mend
  from was w
  left join now n on (n.kind, n.name) = (w.kind, w.name)
  cross join lateral (
    select string_agg(p.privilege, ', ') as missing from unnest(string_to_array(w.state, ', ')) p(privilege)
    where not p.privilege = any (coalesce(string_to_array(n.state, ', '), '{}'))) m
  where w.kind = 'grant' and m.missing is not null and (w.belongs_to like 'schema %' or w.belongs_to in (select t.belongs_to from there t))
  union all
  -- Of what was granted beside, only what opens something to users counts. Roles of the operator may see what they are given.
  select n.kind, format('grant of %s on %s is not the release''s', m.added, n.name),
    concat_ws('; ', regexp_replace(n.mend, '^grant (.*) to (.*)$', 'revoke \1 from \2'), w.mend)
  from now n
  left join was w on (w.kind, w.name) = (n.kind, n.name)
  cross join lateral (
    select string_agg(p.privilege, ', ') as added from unnest(string_to_array(n.state, ', ')) p(privilege)
    where not p.privilege = any (coalesce(string_to_array(w.state, ', '), '{}'))) m
  where n.kind = 'grant' and n.name ~ ' to (public|anon|authenticated)$' and m.added is not null
    and n.belongs_to in (select o.belongs_to from was o)
$$;

comment on function mill.damage_of_catalog() is 'What is missing, changed, revoked or opened since the release was installed, each with the SQL that mends it.';
revoke execute on function mill.damage_of_catalog() from public;
