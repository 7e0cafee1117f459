-- Gives the rows of mill.schedule to pg_cron or to the relay's cron. Without either it says so, and Cloudflare cron
-- triggers or the container worker call public.run_schedules. `gristmill migrate` and the relay call it at each start, so what a dump has
-- brought from another server is mended there.
create or replace function mill.install_schedules() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_count int := 0;
  v_schedule record;
begin
  if to_regclass('cron.job') is null then
    return 0;
  end if;
  -- cron.schedule changes neither address nor user of a job that is there.
  perform cron.unschedule(m.jobid) from mill.misplaced_schedules() m;
  for v_schedule in
    select s.name, s.schedule, coalesce(s.command, format('select mill.run_schedule(%L)', s.name)) as command
    from mill.schedule s order by s.name
  loop
    perform cron.schedule(v_schedule.name, v_schedule.schedule, v_schedule.command);
    v_count := v_count + 1;
  end loop;
  -- What was declared once and is no more. Only commands that are surely ours.
  perform cron.unschedule(j.jobname) from cron.job j
  where j.command like 'select mill.run_schedule(%' and not exists (select from mill.schedule s where s.name = j.jobname);
  return v_count;
end
$$;

comment on function mill.install_schedules() is 'Installs or updates the cron jobs; says how many, 0 without a cron schema.';
revoke execute on function mill.install_schedules() from public;
