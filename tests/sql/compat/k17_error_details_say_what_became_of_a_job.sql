select plan(17);
set mill.now = '2030-01-01 00:00+00';
update mill.settings set value = '60' where key = 'worker.reclaim_jitter_max_seconds';
update mill.queue set max_lease_losses = 2, max_attempts = 3 where queue = 'standard';
set role service_role;
create function pg_temp.details() returns jsonb language sql as $$ select error_details from public.job_queue where job_name = 'x' $$;
create function pg_temp.later(p_time text) returns void language plpgsql as $$ begin perform set_config('mill.now', p_time, false); perform public.tick(); end $$;
create temp table made as select public.enqueue_job_v3('report_generation', 'x', '{"a": 1}', scheduled_at => '2029-01-01') as id;
select is(pg_temp.details(), null, 'K17: a job that met nothing has no error_details');

-- A reschedule.
select public.claim_next_job_v3('w1', array['report_generation']);
select is(public.reschedule_job(id, 20, 'rate_limited'), true, 'K13: a worker puts its job off') from made;
select results_eq($$ select d ->> 'reschedule_reason', (d ->> 'reschedule_delay_seconds')::numeric, (d ->> 'jitter_seconds')::numeric between 0 and 10, (d ->> 'rescheduled_at')::timestamptz from pg_temp.details() d $$,
  $$ values ('rate_limited', 20::numeric, true, '2030-01-01 00:00+00'::timestamptz) $$, 'K17: a reschedule says its reason, delay, jitter and time; K13: the jitter is at most half of the delay');
select is((select (error_details ->> 'total_delay_seconds')::numeric from public.job_queue), (select round(extract(epoch from scheduled_at - '2030-01-01 00:00+00'), 3) from public.job_queue),
  'K17: total_delay_seconds is the time until scheduled_at');
select pg_temp.later('2030-01-01 00:01+00');
select public.claim_next_job_v3('w1', array['report_generation']);
select is(public.reschedule_job(p_job_id => id, p_delay_seconds => null, p_reason => null, p_add_jitter => false), true, 'K3: null stands for the default of reschedule_job') from made;
select is((select scheduled_at from public.job_queue), '2030-01-01 00:01:30+00'::timestamptz, 'K15: the default delay is queue.backpressure_delay_seconds');

-- A lost worker.
select pg_temp.later('2030-01-01 00:02+00');
select public.claim_next_job_v3('lost', array['report_generation']);
select is((select started_at from public.job_queue), '2030-01-01 00:02+00'::timestamptz, 'K17: started_at is the time of the claim');
select pg_temp.later('2030-01-01 00:10+00');
select results_eq($$ select d ->> 'error_type', d ->> 'original_worker', (d ->> 'timeout_at')::timestamptz, d ->> 'reschedule_reason' from pg_temp.details() d $$,
  $$ values ('worker_timeout', 'lost', '2030-01-01 00:10+00'::timestamptz, 'rescheduled') $$, 'K17: a lost worker is named with the time of its loss, beside what was there before');
select is((select (error_details ->> 'reclaim_jitter_seconds')::numeric from public.job_queue), (select round(extract(epoch from scheduled_at - '2030-01-01 00:10+00'), 3) from public.job_queue),
  'K17: reclaim_jitter_seconds is how long the job of a lost worker waits');
select results_eq($$ select status, worker_id, started_at, retry_count, max_retries, updated_at from public.job_queue $$,
  $$ values ('retrying', null::text, null::timestamptz, 1, 2, '2030-01-01 00:10+00'::timestamptz) $$, 'K17: a lost worker costs a retry');
select pg_temp.later('2030-01-01 00:12+00');
select is((select retry_count from public.claim_next_job_v3('w2', array['report_generation'])), 1, 'K11: the next claim says the same retry_count');
select is((select retry_count from public.job_queue), 1, 'K17: retry_count is that of the claim while the job runs');
select is(pg_temp.details() ->> 'original_worker', 'lost', 'K17: the lost worker is still named while another one has the job');

-- A dead letter.
select pg_temp.later('2030-01-01 01:00+00');
select results_eq($$ select status, dead_letter_at, completed_at, d ->> 'dead_letter_reason', d ->> 'final_worker', (d ->> 'dead_lettered_at')::timestamptz, d ->> 'error_type'
  from public.job_queue cross join pg_temp.details() d $$,
  $$ values ('failed', '2030-01-01 01:00+00'::timestamptz, null::timestamptz, 'worker_timeout', 'w2', '2030-01-01 01:00+00'::timestamptz, 'worker_timeout') $$,
  'K17: a job that has lost too many workers is a dead letter with its reason, its last worker and the time');
create temp table other as select public.enqueue_job_v3('backup_operation', 'y', '{"a": 1}', scheduled_at => '2029-01-01') as id;
select public.claim_next_job_v3('w3', array['backup_operation']);
select public.fail_job(id, 'w3', 'disk full', '{"retryable": false, "type": "disk"}') from other;
select is((select error_details - array['attempt', 'at', 'retryable'] from public.job_queue where job_name = 'y'), '{"type": "disk", "message": "disk full", "worker": "w3", "error_type": "disk",
  "error_message": "disk full", "dead_letter_reason": "disk", "final_worker": "w3", "dead_lettered_at": "2030-01-01T01:00:00+00:00"}', 'K17: a failure that no retry cures is a dead letter with its own type as reason');
create temp table done as select public.enqueue_job_v3('backup_operation', 'z', '{"a": 1}', scheduled_at => '2029-01-01') as id;
select public.claim_next_job_v3('w3', array['backup_operation']);
select is(public.complete_job(p_job_id => id, p_worker_id => 'w3'), true, 'K12: a job is completed without a result') from done;
select results_eq($$ select status, worker_id, completed_at, dead_letter_at, job_result, error_details from public.job_queue where job_name = 'z' $$,
  $$ values ('completed', 'w3', '2030-01-01 01:00+00'::timestamptz, null::timestamptz, null::jsonb, null::jsonb) $$, 'K17: a completed job says when and by whom');
select * from finish();
