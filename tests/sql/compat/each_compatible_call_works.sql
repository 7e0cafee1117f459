select plan(22);
select is((select count(*) from mill.kind where kind in ('fast_queue_security', 'fast_queue_ocr', 'fast_queue_spatial', 'ai_queue_pass1', 'ai_queue_pass2', 'ai_queue_pass3',
  'audit_cleanup', 'notification_delivery', 'report_generation', 'backup_operation', 'system_maintenance', 'consent_verification')), 12::bigint, 'the allowed types are rows');
select is((select config_value from public.system_configuration where config_key = 'worker.timeout_seconds'), '300', 'settings are kept');
set role service_role;
create temp table made as select public.enqueue_job_v3('ai_queue_pass1', 'first', '{"document": 1}') as id;
select results_eq('select job_type, job_name, job_payload, job_category, status, priority from public.job_queue',
  $$ values ('ai_queue_pass1', 'first', '{"document": 1, "estimated_tokens": 1000}'::jsonb, 'standard', 'pending', 5) $$, 'a job that enqueue_job_v3 makes has the compatible defaults');
select throws_ok($$ select public.enqueue_job_v3('nope', 'n', '{"a": 1}') $$, 'GM001', 'unknown job kind "nope"', 'an unknown type gets a clear error');
select is(public.enqueue_job_v3('fast_queue_ocr', 'later', '{"estimated_tokens": 5}', scheduled_at => now() + interval '1 hour') is not null, true, 'one for later');
select is((select status from public.job_queue where job_name = 'later'), 'deferred', 'is deferred');
select is((select job_payload from public.job_queue where job_name = 'later'), '{"estimated_tokens": 5}', 'a given estimate is kept');
select is_empty($$ select * from public.claim_next_job_v3('w', array['fast_queue_ocr']) $$, 'nothing is due of that type');
select results_eq($$ select job_id, job_type, job_payload, retry_count from public.claim_next_job_v3('w', array['ai_queue_pass1', 'ai_queue_pass2']) $$,
  $$ select id, 'ai_queue_pass1', '{"document": 1, "estimated_tokens": 1000}'::jsonb, 0 from made $$, 'a claim gives id, type, payload and retries');
select is(public.update_job_heartbeat((select id from made), 'w'), true, 'its worker may extend it');
select is(public.update_job_heartbeat((select id from made), 'other'), false, 'another may not');
select is(public.complete_job((select id from made), 'other', '{"r": 1}'), false, 'another worker may not complete the job');
select is(public.fail_job((select id from made), 'other', 'no'), false, 'another worker may not fail the job');
select is((select status from public.job_queue where job_name = 'first'), 'processing', 'nothing has changed');
select is(public.reschedule_job((select id from made), 60, 'rate limited', false), true, 'a running job is put off');
select is((select status from public.job_queue where job_name = 'first'), 'deferred', 'without consuming an attempt');
select is(public.reschedule_job((select id from made), 60, 'again', false), false, 'one that does not run is not');
reset role;
update mill.job_live set state = 'pending', waits = false where name = 'first';
set role service_role;
select is((select retry_count from public.claim_next_job_v3('w', array['ai_queue_pass1'])), 0, 'a job that was rescheduled comes again as the same try');
select is(public.fail_job((select id from made), 'w', 'no', '{"http_status": 500}'), true, 'a failure is taken');
select is((select error_details ->> 'message' from public.job_queue where job_name = 'first'), 'no', 'a failed job has the message of its failure');
reset role;
update mill.job_live set state = 'pending', waits = false where name = 'first';
set role service_role;
select is((select retry_count from public.claim_next_job_v3('w', array['ai_queue_pass1'])), 1, 'a failed job with attempts left is a retry');
select public.complete_job((select id from made), 'w', '{"r": 1}');
select results_eq($$ select status, job_result from public.job_queue where job_name = 'first' $$, $$ values ('completed', '{"r": 1}'::jsonb) $$, 'completed with its result');
select * from finish();
