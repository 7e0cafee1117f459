select plan(17);
insert into public.user_profiles (id, user_id) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111');
create function pg_temp.keys(p_object jsonb) returns text[] language sql as $$ select array_agg(k order by k) from jsonb_object_keys(p_object) k $$;
create function pg_temp.error() returns jsonb language sql as $$ select processing_error from public.shell_files $$;
create temp table job (id uuid, attempt int);
create function pg_temp.begin_stage(p_kind text default 'fast_queue_security') returns jsonb language plpgsql as $$
declare
  v_answer jsonb;
begin
  delete from job;
  update mill.job_live set state = 'pending', waits = false, run_at = mill.now() where state in ('retrying', 'deferred');
  insert into job select c.id, c.attempt from mill.claim('w1', array['fast', 'ai'], 1, array[p_kind]) c;
  select public.begin_document_stage(j.id, 'w1', j.attempt) into v_answer from job j;
  return v_answer;
end $$;
set mill.now = '2030-01-01 00:00+00';
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
insert into public.shell_files (id, patient_id, filename, mime_type, storage_path, status, created_at, updated_at)
values ('77777777-7777-4777-8777-777777777777', '33333333-3333-4333-8333-333333333333', 'a', 'text/plain', 'a/b', 'uploaded', mill.now(), mill.now());
select mill.start_stage('77777777-7777-4777-8777-777777777777', 'security');
select set_config('request.jwt.claims', '{"role": "service_role"}', false);

select pg_temp.begin_stage();
set mill.now = '2030-01-01 00:00:03+00';
select ok(public.fail_document_stage(j.id, 'w1', j.attempt, '{"outcome": "failed", "error": {"type": "network_error", "message": "clamd is away", "retryable": true}}'),
  'a worker returns a stage that failed') from job j;
select is(pg_temp.keys(pg_temp.error() -> 'current_error'), array['api_provider', 'duration_ms', 'error_message', 'error_type', 'heartbeat_expired', 'next_retry_at',
  'rate_limit_hit', 'retry_count', 'timestamp', 'worker_id'], 'current_error has exactly the compatible keys');
select is(pg_temp.keys(pg_temp.error() #> '{error_history,0}'), array['api_provider', 'duration_ms', 'error_message', 'error_type', 'heartbeat_expired', 'next_retry_at',
  'rate_limit_hit', 'resolved', 'retry_count', 'timestamp', 'worker_id'], 'an entry of error_history has the same keys and resolved');
select is((pg_temp.error() -> 'current_error') - array['next_retry_at', 'timestamp'], '{"error_type": "network_error", "error_message": "clamd is away", "retry_count": 1,
  "worker_id": "w1", "api_provider": null, "rate_limit_hit": false, "heartbeat_expired": false, "duration_ms": 3000}', 'current_error says what happened');
select is((pg_temp.error() #>> '{current_error,next_retry_at}')::timestamptz, (select run_at from mill.job_live), 'current_error says when the next attempt is due');
select ok(not public.fail_document_stage(j.id, 'w1', j.attempt, '{"outcome": "failed", "error": {"type": "forged", "message": "", "retryable": true}}'),
  'a worker that has lost the job notes nothing') from job j;
select is(jsonb_array_length(pg_temp.error() -> 'error_history'), 1, 'a late call leaves no entry');

-- The worker is lost.
select pg_temp.begin_stage();
select is(pg_temp.error() #> '{current_error,next_retry_at}', 'null', 'an attempt that runs waits for none');
select mill.return_lost_jobs(array(select ctid from mill.job_live where state = 'processing'), '{"type": "worker_lost", "message": "gone"}', 0, mill.now());
set mill.now = '2030-01-01 00:10+00';
select pg_temp.begin_stage();
select is(array[pg_temp.error() #>> '{current_error,error_type}', pg_temp.error() #>> '{current_error,heartbeat_expired}'], array['worker_timeout', 'true'],
  'a lost worker is an error with heartbeat_expired');
select ok((pg_temp.error() #>> '{error_history,0,next_retry_at}') is not null, 'an older entry keeps when its next attempt was due');
select public.finish_document_stage(j.id, 'w1', j.attempt, '{"verdict": {"safe": true}, "page_count": 1, "size": 1, "sha256": null, "mime_type": "text/plain"}') from job j;
select is(array[pg_temp.error() ? 'current_error', (select bool_and((e ->> 'resolved')::boolean) from jsonb_array_elements(pg_temp.error() -> 'error_history') e)], array[false, true],
  'a stage that succeeds resolves its errors');

-- A provider.
update public.shell_files set stage = 'pass1', stage_jobs = '{}';
delete from mill.job_live;
select mill.start_stage('77777777-7777-4777-8777-777777777777', 'pass1');
select pg_temp.begin_stage('ai_queue_pass1');
select public.fail_document_stage(j.id, 'w1', j.attempt, '{"outcome": "snoozed", "delay_seconds": 30, "error": {"type": "rate_limited", "message": "later", "retryable": true, "provider": "openai"}}') from job j;
select is((pg_temp.error() -> 'current_error') - array['next_retry_at', 'timestamp', 'duration_ms'], '{"error_type": "api_rate_limit", "error_message": "later", "retry_count": 1,
  "worker_id": "w1", "api_provider": "openai", "rate_limit_hit": true, "heartbeat_expired": false}', 'a provider that asks to come back later is an error with rate_limit_hit');
select is((pg_temp.error() #>> '{current_error,next_retry_at}')::timestamptz, mill.now() + interval '30 s', 'next_retry_at is when the provider asked to come back');
select is(pg_temp.error() -> 'api_metrics', '{"total_api_calls": 1, "rate_limit_hits": 1, "backpressure_delays": 1, "successful_api_calls": 0, "failed_api_calls": 1, "total_tokens_used": 0}',
  'api_metrics counts a refused call');
select pg_temp.begin_stage('ai_queue_pass1');
select public.finish_document_stage(j.id, 'w1', j.attempt, '{"entities": [], "usage": {"total_calls": 2, "successful_calls": 2, "tokens": 700, "seconds": 1}}') from job j;
select is(pg_temp.error() -> 'api_metrics', '{"total_api_calls": 3, "rate_limit_hits": 1, "backpressure_delays": 1, "successful_api_calls": 2, "failed_api_calls": 1, "total_tokens_used": 700}',
  'api_metrics has exactly the compatible keys, added up over stages');

-- What release 0.1.0 has written.
update public.shell_files set processing_error = '{"error_history": [{"type": "ocr_failure", "message": "x", "timestamp": "2029-01-01", "resolved": true}], "api_metrics": {"total_calls": 4, "tokens": 9}}';
delete from mill.job_live;
update public.shell_files set stage = 'pass2', stage_jobs = '{}';
select mill.start_stage('77777777-7777-4777-8777-777777777777', 'pass2');
select pg_temp.begin_stage('ai_queue_pass2');
select public.finish_document_stage(j.id, 'w1', j.attempt, '{"facts": [], "usage": {"total_calls": 1, "successful_calls": 1, "tokens": 1}}') from job j;
select is(array[pg_temp.error() #>> '{error_history,0,error_type}', pg_temp.error() #>> '{error_history,0,error_message}'], array['ocr_failure', 'x'], 'entries of release 0.1.0 get the compatible keys');
select is(array[pg_temp.error() #>> '{api_metrics,total_api_calls}', pg_temp.error() #>> '{api_metrics,total_tokens_used}'], array['5', '10'], 'counts of release 0.1.0 are carried on');
select * from finish();
