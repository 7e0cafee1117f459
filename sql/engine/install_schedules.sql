-- All recurring work, declared in one place. Works with pg_cron and with the relay's cron; without either it
-- says so, and a Cloudflare cron trigger or the container worker calls the same functions.
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
  for v_schedule in
    select * from (values
      ('gristmill-pump', '* * * * *', 'call mill.pump()'),
      ('gristmill-maintain', '17 * * * *', 'select mill.maintain()'),
      -- refresh, under its documented names
      ('check-stale-data', '* * * * *', 'call mill.check_stale_data()'),
      ('scheduled-refreshes', '* * * * *', 'select public.queue_scheduled_refreshes()'),
      ('process-queue-batch', '* * * * *', 'call public.invoke_processor_loop()'),
      ('subscription-cleanup', '* * * * *', 'select mill.cleanup_subscriptions()'),
      ('queue-partitions', '23 3 * * 0', 'select public.maintain_queue_partitions()')
    ) as s(name, schedule, command)
  loop
    perform cron.schedule(v_schedule.name, v_schedule.schedule, v_schedule.command);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

comment on function mill.install_schedules() is 'Installs or updates the cron jobs; says how many, 0 without a cron schema.';
revoke execute on function mill.install_schedules() from public;
