select plan(31);
set mill.now = '2030-01-01 00:00+00';
update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds';
set role service_role;
create temp table made as select public.enqueue_job_v3('report_generation', 'x', '{"a": 1}', scheduled_at => '2029-01-01') as id;
create function pg_temp.back(p_at text, p_and text default '') returns int language plpgsql as $$
declare v_rows int; begin
  execute format('update public.job_queue set status = ''pending'', scheduled_at = %L, worker_id = null, started_at = null, heartbeat_at = null where id = %L %s', p_at, (select id from made), p_and);
  get diagnostics v_rows = row_count; return v_rows;
end $$;
select is(pg_temp.back('2030-01-01 00:10+00'), 0, 'K17: a job that nobody holds is not rescheduled by an update');
select public.claim_next_job_v3('w1', array['report_generation']);
select is(pg_temp.back('2030-01-01 00:10+00', 'and worker_id = ''w2'''), 0, 'K17: an update for another worker''s name finds no row');
select is(pg_temp.back('2030-01-01 00:10+00', 'and worker_id = ''w1'''), 1, 'K17: status pending with scheduled_at, and worker_id, started_at and heartbeat_at null, reschedules');
select results_eq($$ select status, scheduled_at, worker_id, started_at, heartbeat_at, completed_at, retry_count from public.job_queue $$,
  $$ values ('deferred', '2030-01-01 00:10+00'::timestamptz, null::text, null::timestamptz, null::timestamptz, null::timestamptz, 0) $$,
  'K17: a rescheduled job waits until scheduled_at, is held by nobody, and its attempt is given back');
select is((select error_details - array['message', 'retryable', 'type', 'worker', 'attempt', 'at'] from public.job_queue), '{"reschedule_reason": "rescheduled", "reschedule_delay_seconds": 600,
  "jitter_seconds": 0, "total_delay_seconds": 600, "rescheduled_at": "2030-01-01T00:00:00+00:00"}', 'K17: error_details says for how long an update has put the job off');
select is(pg_temp.back('2030-01-01 00:00+00'), 0, 'K17: an update does not reach a job that waits');
set mill.now = '2030-01-01 00:10+00';
select public.tick();
select public.claim_next_job_v3('w1', array['report_generation']);
update public.job_queue set status = 'pending', scheduled_at = null, worker_id = null, started_at = null, heartbeat_at = null, updated_at = now(),
  error_details = '{"reschedule_reason": "rate limited", "provider": "openai", "at": "nonsense"}' where id = (select id from made);
select results_eq($$ select scheduled_at, error_details ->> 'reschedule_reason', error_details ->> 'provider' from public.job_queue $$,
  $$ values ('2030-01-01 00:10:30+00'::timestamptz, 'rate limited', 'openai') $$, 'K15: without scheduled_at the delay is queue.backpressure_delay_seconds; what the worker says is kept in error_details');

-- Values that an update may not set.
set mill.now = '2030-01-01 00:11+00';
select public.tick();
select public.claim_next_job_v3('w1', array['report_generation']);
create temp table before as table public.job_queue;
select throws_ok(format('update public.job_queue set status = %L where id = %L', s, (select id from made)), 'GM008', null, format('K17: an update to %s alone is refused', s))
from unnest(array['completed', 'failed', 'cancelled', 'pending', 'processing']) s;
select throws_ok(format($$ update public.job_queue set status = 'pending', scheduled_at = now(), worker_id = null, started_at = null, heartbeat_at = null, %s where id = %L $$, c, (select id from made)),
  'GM008', null, format('K17: a reschedule that also sets %s is refused', split_part(c, ' ', 1)))
from unnest(array['job_payload = ''{}''', 'retry_count = 0 - 1', 'max_retries = 99', 'priority = 100', 'job_type = ''echo''', 'job_result = ''{}''', 'user_id = gen_random_uuid()', 'completed_at = now()']) c;
select throws_ok($$ insert into public.job_queue (job_type, job_payload) values ('echo', '{"a": 1}') $$, '55000', null, 'K17: no row is inserted into job_queue');
select throws_ok($$ delete from public.job_queue $$, '55000', null, 'K17: no row of job_queue is deleted');
select results_eq('table public.job_queue', 'table before', 'K17: a refused update changes nothing');
reset role;
set role authenticated;
select throws_ok($$ update public.job_queue set status = 'pending', scheduled_at = now(), worker_id = null, started_at = null, heartbeat_at = null $$, '42501', null, 'K17: a user updates no job');
set role anon;
select throws_ok($$ update public.job_queue set status = 'pending', scheduled_at = now(), worker_id = null, started_at = null, heartbeat_at = null $$, '42501', null, 'K17: anon updates no job');
set role service_role;
select results_eq('table public.job_queue', 'table before', 'K17: an update of a user or of anon changes nothing');

-- K4: only under a lease that a compat claim gave out.
set mill.now = '2030-01-01 01:00+00';
select public.tick();
select is(pg_temp.back('2030-01-01 02:00+00'), 0, 'K4: an update does not reach a job whose lease was lost and that nobody holds');
select public.claim_next_job_v3('w2', array['report_generation']);
select is(pg_temp.back('2030-01-01 01:00+00'), 1, 'K4: an update serves the new holder of a job that has lost a lease');
select public.tick();
select is(jsonb_array_length(public.claim_jobs('w2', array['standard'], 1)), 1, 'our own worker of that name claims the job');
truncate before;
insert into before table public.job_queue;
select is(pg_temp.back('2030-01-01 02:00+00'), 0, 'K4: an update does not reach a job that our own worker holds');
select results_eq('table public.job_queue', 'table before', 'K4: the job of our own worker is unchanged by an update');
select * from finish();
