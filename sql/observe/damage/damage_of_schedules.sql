-- Where Postgres has no cron, schedules are called from outside, and there is nothing to compare.
create or replace function mill.damage_of_schedules() returns table (finding text, mend text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('cron.job') is null then
    return;
  end if;
  return query execute $q$
    select format('schedule %s %s', s.name, d.what), d.mend
    from mill.schedule s
    left join cron.job j on j.jobname = s.name and j.database = current_database()
    cross join lateral (
      select case
          when j.jobid is null then 'is not in cron.job'
          when not j.active then 'is inactive in cron.job'
          when j.schedule <> s.schedule or j.command <> c.command then 'is another one in cron.job'
        end as what,
        -- cron.schedule leaves a job inactive that is so already.
        case when j.jobid is not null and not j.active then format('select cron.unschedule(%s::bigint); ', j.jobid) else '' end
          || 'select mill.install_schedules()' as mend
      from (select coalesce(s.command, format('select mill.run_schedule(%L)', s.name)) as command) c) d
    where d.what is not null
      -- One of another database or server is named by mill.misplaced_schedules.
      and not exists (select from mill.misplaced_schedules() m where m.jobname = s.name)
    order by s.name
  $q$;
end
$$;

comment on function mill.damage_of_schedules() is 'Schedules that cron does not have, or has differently or inactive, each with the SQL that mends it.';
revoke execute on function mill.damage_of_schedules() from public;
