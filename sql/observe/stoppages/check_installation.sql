-- The part of mill.damage that stops work and can be looked at in 20 ms: what is missing, revoked or switched off. What was changed takes
-- all of mill.damage. Schedules that do not run are the check cron's.
create or replace function mill.check_installation() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with thing as (
    select c.kind, c.name, c.belongs_to, c.state,
      case c.kind when 'grant' then regexp_replace(c.name, '^.* to ', '') end as role,
      case c.kind
        when 'trigger' then to_regclass(regexp_replace(c.name, '^.* on ', ''))
        when 'row level security' then to_regclass(c.name)
      end as relation,
      case
        when c.kind in ('function', 'procedure') then to_regprocedure(c.name) is not null
        when c.kind in ('table', 'view', 'index') then to_regclass(c.name) is not null
      end as is_there
    from mill.catalog c
    where c.kind in ('function', 'procedure', 'table', 'view', 'index', 'grant', 'trigger', 'row level security')
  )
  select format('%s %s is missing', t.kind, t.name) from thing t where not t.is_there
  union all
  select format('grant of %s on %s is missing', p.privilege, t.name)
  from thing t
  cross join lateral unnest(string_to_array(t.state, ', ')) p(privilege)
  where t.name not like '% (%) to %' and to_regrole(t.role) is not null
    and case split_part(t.belongs_to, ' ', 1)
      when 'function' then not has_function_privilege(t.role, to_regprocedure(substr(t.belongs_to, 10)), p.privilege)
      when 'table' then not has_table_privilege(t.role, to_regclass(substr(t.belongs_to, 7)), p.privilege)
      when 'view' then not has_table_privilege(t.role, to_regclass(substr(t.belongs_to, 6)), p.privilege)
    end
  union all
  select format('row level security of %s is off', t.name)
  from thing t join pg_class c on c.oid = t.relation
  where t.kind = 'row level security' and not c.relrowsecurity
  union all
  select format('trigger %s is %s', t.name, case when g.oid is null then 'missing' else 'disabled' end)
  from thing t
  left join pg_trigger g on g.tgrelid = t.relation and t.name like quote_ident(g.tgname) || ' on %'
  where t.kind = 'trigger' and t.relation is not null and t.state !~ ' enabled D$' and coalesce(g.tgenabled = 'D', true)
$$;

comment on function mill.check_installation() is 'What the release has made and is missing, revoked or switched off. gristmill doctor says how to mend it.';
revoke execute on function mill.check_installation() from public;

create or replace function mill.measure_installation() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select 'installation', count(*)::numeric from mill.check_installation() $$;
comment on function mill.measure_installation() is 'How many things of the release are missing, revoked or switched off.';
revoke execute on function mill.measure_installation() from public;

insert into mill.health_check (name, step, place) values ('installation', 'mill.check_installation', 5)
on conflict (name) do update set step = excluded.step, place = excluded.place;
insert into mill.alert_rule (rule, severity, measure, threshold, description) values
  ('installation_damaged', 'P0', 'mill.measure_installation', 1, 'Functions, grants, indexes or triggers of the release are missing or switched off: gristmill doctor names them')
on conflict (rule) do nothing;
