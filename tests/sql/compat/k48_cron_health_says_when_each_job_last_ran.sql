select plan(5);
set mill.now = '2030-01-01 00:00+00';
delete from mill.heartbeat;
select mill.record_heartbeat('check-stale-data');
set role service_role;
select results_eq($$ select jobname, last_run from public.check_cron_job_health(p_critical_jobs => array['process-queue-batch', 'check-stale-data', 'nonsense']) $$,
  $$ values ('check-stale-data', timestamptz '2030-01-01 00:00+00'), ('nonsense', null), ('process-queue-batch', null) $$, 'K48: each named job with its last run, null where there is none');
select results_eq($$ select jobname, last_run from public.check_cron_job_health(critical_jobs => array['check-stale-data']) $$,
  $$ values ('check-stale-data', timestamptz '2030-01-01 00:00+00') $$, 'K48: the other name of the parameter means the same');
select ok((select array['check-stale-data', 'process-queue-batch', 'scheduled-refreshes'] <@ array_agg(jobname) from public.check_cron_job_health()), 'K48: without a list every critical job');
set role authenticated;
select throws_ok('select * from public.check_cron_job_health()', '42501', null, 'K48: a user does not ask');
set role anon;
select throws_ok('select * from public.check_cron_job_health()', '42501', null, 'K48: anon does not ask');
reset role;
select * from finish();
