select plan(11);
set mill.now = '2030-01-01 00:00+00';
update mill.schedule set declared_at = '2030-01-01 00:00+00';
select is((select count(*) from mill.cron_health() where reason is not null), 0::bigint, 'a fresh installation is well');
select is(mill.run_schedule('partition-maintenance'), true, 'a run');
select is((select at from mill.heartbeat where part = 'partition-maintenance'), '2030-01-01 00:00+00'::timestamptz, 'is on record');
set mill.now = '2030-01-01 00:01:59+00';
select is((select reason from mill.cron_health() where name = 'process-queue-batch'), null, 'up to two minutes the pump may be silent');
set mill.now = '2030-01-01 00:02:01+00';
select is((select reason from mill.cron_health() where name = 'process-queue-batch'), 'has not run', 'a pump that is silent for over two minutes is reported');
select mill.record_heartbeat('process-queue-batch');
select is((select reason from mill.cron_health() where name = 'process-queue-batch'), null, 'the alarm about a schedule is taken back when it runs again');
select is((select array_agg(name || ': ' || limit_seconds order by name) from mill.cron_health()
    where name in ('process-queue-batch', 'check-stale-data', 'scheduled-refreshes', 'subscription-cleanup')),
  array['check-stale-data: 180', 'process-queue-batch: 120', 'scheduled-refreshes: 300', 'subscription-cleanup: 600'], 'each within its own slack');
select results_eq($$ select jobname, last_run from public.check_cron_job_health(array['nonsense']) $$, $$ values ('nonsense', null::timestamptz) $$, 'a name that is no schedule has never run');
create or replace function mill.maintain() returns jsonb language plpgsql as $$ begin raise exception 'broken'; end $$;
set mill.now = '2030-01-01 05:00+00';
select is(mill.run_schedule('partition-maintenance'), false, 'a run that fails');
select is((select detail ->> 'schedule' from mill.event where code = 'schedule_failed'), 'partition-maintenance', 'leaves an event');
select is((select reason from mill.cron_health() where name = 'partition-maintenance'), 'last ran 18000 s ago', 'a failed run of a schedule does not count as a run');
select * from finish();
