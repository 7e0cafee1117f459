-- How each schedule stands: when it last succeeded, how old that may be, and what is wrong. A schedule that has never
-- run is as old as its declaration, so that a fresh installation is not ill.
create or replace function mill.cron_health()
returns table (name text, last_run_at timestamptz, age_seconds numeric, limit_seconds int, is_critical boolean, reason text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_has_cron boolean := to_regclass('cron.job') is not null;
  v_installed text[];
begin
  if v_has_cron then
    execute 'select array_agg(j.jobname::text) from cron.job j where j.active' into v_installed;
  end if;
  return query
  select s.name, h.at, round(a.age, 1), s.every_seconds + s.slack_seconds, s.is_critical,
    case
      when a.age > s.every_seconds + s.slack_seconds then
        case when h.at is null then 'has not run' else format('last ran %s s ago', round(a.age)) end
        || case when v_has_cron and not s.name = any (coalesce(v_installed, '{}')) then '; cron does not have it' else '' end
    end
  from mill.schedule s
  left join mill.heartbeat h on h.part = s.name
  cross join lateral (select extract(epoch from v_now - coalesce(h.at, s.declared_at)) as age) a
  order by s.name;
end
$$;

comment on function mill.cron_health() is 'Each schedule''s last run and, where it is late, the reason in words.';
revoke execute on function mill.cron_health() from public;
