select plan(6);
set mill.now = '2030-01-01 00:00+00';
update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds';
update mill.queue set max_lease_losses = 20, max_attempts = 20 where queue = 'standard';
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
-- Whether it is refused or changes no row is the same here.
create function pg_temp.reschedule(p_id uuid) returns bigint language plpgsql as $$
declare
  v_rows bigint;
begin
  update public.job_queue set status = 'pending', scheduled_at = '2030-01-02', worker_id = null, started_at = null, heartbeat_at = null where id = p_id;
  get diagnostics v_rows = row_count;
  return v_rows;
exception when others then
  return 0;
end $$;
grant execute on all functions in schema tap to service_role;
set role service_role;
create temp table made as select public.enqueue_job_v3('report_generation', 'x', '{"a": 1}', scheduled_at => '2029-01-01') as id;
select public.claim_next_job_v3('lost', array['report_generation']);
set mill.now = '2030-01-01 01:00+00';
select public.tick();
select public.claim_next_job_v3('heir', array['report_generation']);
select is(pg_temp.reschedule(id), 1::bigint, 'K4: an update of job_queue serves the new holder of a job that has lost a lease') from made;
select results_eq('select status, scheduled_at, worker_id from public.job_queue', $$ values ('deferred', '2030-01-02'::timestamptz, null::text) $$, 'K4: the updated row waits until its time');
set mill.now = '2030-01-03 00:00+00';
select public.tick();
select is(jsonb_array_length(public.claim_jobs('ours', array['standard'], 1)), 1, 'our own worker claims the job');
create temp table before as select status, scheduled_at, worker_id, retry_count from public.job_queue;
select pg_temp.reschedule(id) from made;
select results_eq('select status, scheduled_at, worker_id, retry_count from public.job_queue', 'table before', 'K4: an update of job_queue does not reach a job that our own worker holds');
select is(public.settle_jobs('ours', jsonb_build_array(jsonb_build_object('id', id, 'attempt', (select retry_count + 1 from before), 'outcome', 'completed'))) -> 0 ->> 'status', 'accepted',
  'our own worker completes its job') from made;
select pg_temp.reschedule(id) from made;
select is((select status from public.job_queue), 'completed', 'K4: an update of job_queue does not reach a job that nobody holds');
select * from finish();
