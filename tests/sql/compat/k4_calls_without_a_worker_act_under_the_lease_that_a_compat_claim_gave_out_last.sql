select plan(34);
set mill.now = '2030-01-01 00:00+00';
update mill.settings set value = '0' where key = 'worker.reclaim_jitter_max_seconds';
update mill.queue set max_lease_losses = 20, max_attempts = 20 where queue in ('standard', 'refresh');
insert into public.supported_symbols (symbol) values ('AAA'), ('BBB');
set role service_role;

-- The first system: reschedule_job.
create temp table made as select public.enqueue_job_v3('report_generation', 'x', '{"a": 1}', scheduled_at => '2029-01-01') as id;
select public.claim_next_job_v3('lost', array['report_generation']);
set mill.now = '2030-01-01 01:00+00';
select public.tick();
select is(public.reschedule_job(id, 1, 'x', false), false, 'K4: a job whose lease was lost and that nobody holds is not rescheduled') from made;
select is((select job_id from public.claim_next_job_v3('heir', array['report_generation'])), (select id from made), 'another worker holds the job now');
select is(public.reschedule_job(id, 0, 'rate limited', false), true, 'K4: reschedule_job serves the new holder of a job that has lost a lease') from made;
select is((select worker_id is null and retry_count = 1 from public.job_queue where id = (select id from made)), true, 'K4: the attempt of the new holder is given back');
select public.tick();
select is(c ->> 'worker', 'ours', 'our own worker claims the job through claim_jobs')
from (select jsonb_build_object('worker', 'ours', 'id', j -> 'id') as c from jsonb_array_elements(public.claim_jobs('ours', array['standard'], 1)) j) c;
create temp table before as select id, status, worker_id, retry_count, lease_expires_at from public.job_queue;
select is(public.reschedule_job(id, 1, 'x', false), false, 'K4: reschedule_job does not reach a job that our own worker holds') from made;
select results_eq('select id, status, worker_id, retry_count, lease_expires_at from public.job_queue', 'table before', 'K4: the job of our own worker is unchanged');
select is((public.settle_jobs('ours', jsonb_build_array(jsonb_build_object('id', id, 'attempt', 2, 'outcome', 'released'))) -> 0 ->> 'status'), 'accepted', 'our own worker gives the job back') from made;

-- Our own worker may bear the name of a compat worker.
set mill.now = '2030-01-01 02:00+00';
select public.claim_next_job_v3('same', array['report_generation']);
set mill.now = '2030-01-01 03:00+00';
select public.tick();
select is(jsonb_array_length(public.claim_jobs('same', array['standard'], 1)), 1, 'our own worker of the same name claims the job');
select is(public.reschedule_job(id, 1, 'x', false), false, 'K4: the name of the worker does not make a lease of ours a compat lease') from made;
select is(array[public.update_job_heartbeat(id, 'same'), public.complete_job(id, 'same'), public.fail_job(id, 'same', 'x')], array[false, false, false],
  'K4: a compat worker that has lost its job does not reach the lease of our own worker of the same name') from made;
select is((select worker_id from public.job_queue), 'same', 'K4: our own worker of that name still holds the job');

-- A worker of our own that lost its lease to a compat worker is told so.
set mill.now = '2030-01-01 04:00+00';
select public.tick();
select public.claim_next_job_v3('compat', array['report_generation']);
select is(public.settle_jobs('same', jsonb_build_array(jsonb_build_object('id', id, 'attempt', 3, 'outcome', 'completed'))) -> 0 ->> 'status', 'lost',
  'a worker of our own that lost its lease to a compat worker is told lost') from made;
select is((select worker_id from public.job_queue), 'compat', 'the compat worker still holds the job');

-- The second system: complete_queue_job, fail_queue_job, reset_job_immediate.
select public.queue_refresh_if_not_exists('AAA', 'quote', 5, 10);
create temp table batch as select id from jsonb_to_recordset(public.get_queue_batch(1)) b(id uuid);
create function pg_temp.status() returns text language sql as $$ select status from public.api_call_queue where symbol = 'AAA' $$;
set mill.now = '2030-01-01 05:00+00';
select public.tick();
select public.complete_queue_job(id, 5) from batch;
select is(pg_temp.status(), 'pending', 'K4: a refresh whose lease was lost and that nobody holds is not completed');
select is(jsonb_array_length(public.get_queue_batch(1)), 1, 'another client holds the refresh now');
select public.reset_job_immediate(id) from batch;
select is(pg_temp.status(), 'pending', 'K4: reset_job_immediate serves the new holder of a refresh that has lost a lease');
select is(jsonb_array_length(public.get_queue_batch(1)), 1, 'K4: a refresh that reset_job_immediate gave back is handed out again');
select public.fail_queue_job(id, 'no answer') from batch;
select is((select error_message from public.api_call_queue where symbol = 'AAA'), 'no answer', 'K4: fail_queue_job serves the new holder of a refresh that has lost a lease');
set mill.now = '2030-01-01 06:00+00';
select public.tick();
select is(jsonb_array_length(public.get_queue_batch(1)), 1, 'K4: a refresh that fail_queue_job failed is handed out again');
select public.complete_queue_job(id, 5) from batch;
select is(pg_temp.status(), 'completed', 'K4: complete_queue_job serves the new holder of a refresh that has lost a lease');
select public.complete_queue_job(id, 7) from batch;
select is((select sum(data_size_bytes) from public.api_data_usage), 5::numeric, 'K4: a refresh is completed and counted once');

select public.queue_refresh_if_not_exists('BBB', 'quote', 5, 10);
create temp table ours as select (public.claim_refresh('processor') #>> '{jobs,0,id}')::uuid as id;
create temp table held as select status, retry_count, processed_at, error_message from public.api_call_queue where symbol = 'BBB';
select public.complete_queue_job(id, 5) from ours;
select public.fail_queue_job(id, 'x') from ours;
select public.reset_job_immediate(id) from ours;
select is(public.reschedule_job(id, 1, 'x'), false, 'K4: reschedule_job does not reach a refresh that our own processor holds') from ours;
select results_eq($$ select status, retry_count, processed_at, error_message from public.api_call_queue where symbol = 'BBB' $$, 'table held',
  'K4: no call without a worker reaches a refresh that our own processor holds');
select is((select worker_id from public.job_queue where id = (select id from ours)), 'processor', 'K4: our own processor still holds its refresh');
select public.complete_queue_job(id, 5) from made;
select isnt((select status from public.job_queue where id = (select id from made)), 'completed', 'complete_queue_job completes nothing but refreshes');

-- K6, K13, K15.
create function pg_temp.lease_of(p_id uuid) returns interval language sql as $$ select lease_expires_at - current_setting('mill.now')::timestamptz from public.job_queue where id = p_id $$;
select public.claim_next_job_v3('compat', array['report_generation']);
select is(pg_temp.lease_of(id), interval '330 seconds', 'K15: a claim leases for worker.heartbeat_interval_seconds and worker.timeout_seconds') from made;
select public.queue_refresh_if_not_exists('AAA', 'profile', 5, 10);
select is((select pg_temp.lease_of(b.id) from jsonb_to_recordset(public.get_queue_batch(1)) b(id uuid)), interval '5 minutes', 'K6: get_queue_batch leases for five minutes');
reset role;
update mill.queue set lease_seconds = 60 where queue = 'standard';
set role service_role;
set mill.now = '2030-01-01 06:00:01+00';
select is(public.update_job_heartbeat(id, 'compat'), true, 'a heartbeat is taken') from made;
select is(pg_temp.lease_of(id), interval '330 seconds', 'K15: a heartbeat does not shorten a lease to that of its queue') from made;
select is(public.reschedule_job(id, 1000, 'x'), true, 'a job is put off with jitter') from made;
select ok((select scheduled_at - '2030-01-01 06:00:01+00' between interval '1000 s' and interval '1030 s' from public.job_queue where id = (select id from made)),
  'K13: the jitter of reschedule_job is at most 30 s');
reset role;
select is((select count(*)::int from mill.compat_lease), 1, 'what was settled leaves no lease behind; one refresh is still held');
set mill.now = '2030-01-01 12:00+00';
select mill.reclaim();
select is(mill.cleanup_compat_leases(10) ->> 'removed', '1', 'the cleanup forgets leases that are over');
select * from finish();
