select plan(11);
set request.jwt.claims = '{"role": "service_role"}';
set request.headers = '{"x-correlation-id": "c-1"}';
update mill.queue set max_attempts = 1 where queue = 'default';
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"secret": "canary"}'::jsonb, 'correlation_id', 'job-' || n)) from generate_series(1, 3) n));
select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'failed', 'error', '{"type": "http", "message": "canary"}'::jsonb))) from mill.claim('w', array['default'], 2);
select results_eq($$ select action, new_values ->> 'error', correlation_id, actor_role, job_id is not null from mill.audit_log where table_name = 'job' order by id $$,
  $$ values ('dead', 'http', 'job-1', 'service_role', true), ('dead', 'http', 'job-2', 'service_role', true) $$, 'a dead letter, with its job and its correlation id');
create temp table dead as select id from mill.job_dead order by id;
select public.retry_jobs(array(select id from dead limit 1));
select public.discard_jobs(array(select id from dead offset 1));
select public.cancel_jobs(array(select id from mill.job_live));
select public.cancel_jobs(array[gen_random_uuid()]);
select is((select array_agg(action order by id) from mill.audit_log where table_name = 'job'), array['dead', 'dead', 'retry', 'discard', 'cancel', 'cancel'], 'retry, discard and cancel, each job once');
select public.pause_queue('default');
select public.pause_queue('default', false);
select mill.set_breaker('processor', 'open', 'by hand');
select results_eq($$ select table_name, record_id, action, reason, correlation_id from mill.audit_log where source = 'engine' and job_id is null order by id $$,
  $$ values ('queue', 'default', 'pause', null, 'c-1'), ('queue', 'default', 'resume', null, 'c-1'), ('breaker', 'processor', 'open', 'by hand', 'c-1') $$, 'pausing, resuming and a breaker');
update mill.settings set value = '31' where key = 'worker.heartbeat_interval_seconds';
update mill.settings set value = '31' where key = 'worker.heartbeat_interval_seconds';
select results_eq($$ select old_values::text, new_values::text from mill.audit_log where record_id = 'worker.heartbeat_interval_seconds' $$, $$ values ('"30"', '"31"') $$, 'a setting, when it really changes');
insert into mill.settings (key, value, is_sensitive) values ('x', 'canary', true);
select results_eq($$ select action, new_values::text from mill.audit_log where record_id = 'x' $$, $$ values ('insert', null::text) $$, 'a sensitive one without its value');
select is_empty($$ select * from mill.audit_log a where a::text like '%canary%' $$, 'no payload, message or secret is in the log');

create temp table made as select public.enqueue_job_v3('backup_operation', 'n', '{"a": 1}') as id;
select public.claim_next_job_v3('w', array['backup_operation']);
select public.complete_job((select id from made), 'other', null);
select public.complete_job((select id from made), 'w', null);
select is((select array_agg(action order by id) from mill.audit_log where job_id = (select id from made)), array['enqueue', 'complete'], 'the compatible enqueue and completion');

-- Retention: whole months go, and the chain of what stays still verifies.
set mill.now = '2030-01-15 00:00+00';
select mill.maintain();
select public.log_audit_event('t', '1', 'old');
set mill.now = '2030-03-15 00:00+00';
select mill.maintain();
select public.log_audit_event('t', '2', 'new');
select is(public.verify_audit_log() ->> 'ok', 'true', 'before retention all verifies');
update mill.settings set value = '30' where key = 'audit.retention_days';
select mill.maintain();
select is((select count(*) from mill.audit_log where action = 'old'), 0::bigint, 'a month past retention is dropped');
select is((select dropped_at is not null from mill.audit_day where day = '2030-01-15'), true, 'its day says so');
select is(public.verify_audit_log() ->> 'findings', '[]', 'the days that stay still verify');
select * from finish();
