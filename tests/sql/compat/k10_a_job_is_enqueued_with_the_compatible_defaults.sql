select plan(12);
set mill.now = '2030-01-01 00:00+00';
set role service_role;
create temp table made as select public.enqueue_job_v3('report_generation', 'plain', '{"month": 3}', scheduled_at => '2029-01-01') as id;
select results_eq($$ select job_type, job_name, job_payload, job_category, priority, status, scheduled_at, retry_count from public.job_queue $$,
  $$ values ('report_generation', 'plain', '{"month": 3, "estimated_tokens": 1000}'::jsonb, 'standard', 5, 'pending', '2029-01-01 00:00+00'::timestamptz, 0) $$,
  'K10: a job without further arguments is standard, of priority 5, and estimated at 1000 tokens');
select public.enqueue_job_v3('report_generation', 'estimated', '{"estimated_tokens": 7}');
select is((select job_payload -> 'estimated_tokens' from public.job_queue where job_name = 'estimated'), '7',
  'K10: a payload that says its tokens keeps them');
select lives_ok($$ select public.enqueue_job_v3('report_generation', 'nulls', '{"a": 1}', null, null, null) $$, 'K3: null stands for the default of enqueue_job_v3');
select results_eq($$ select job_category, priority from public.job_queue where job_name = 'nulls' $$, $$ values ('standard', 5) $$, 'K3: a null category is standard, and a null priority is 5');
select public.enqueue_job_v3('report_generation', 'later', '{"a": 1}', 'nightly', 9, '2030-01-02');
select results_eq($$ select status, scheduled_at, job_category, priority from public.job_queue where job_name = 'later' $$,
  $$ values ('deferred', '2030-01-02 00:00+00'::timestamptz, 'nightly', 9) $$, 'K10: a job for later waits until then');
reset role;
select results_eq($$ select table_name, record_id, action, source from mill.audit_log where job_id = (select id from made) $$,
  $$ select 'job_queue', id::text, 'enqueue', 'engine' from made $$, 'K17: the audit row of an enqueue names job_queue');
set role service_role;
create temp table claimed as select * from public.claim_next_job_v3('w', array['report_generation']);
select is(public.complete_job(job_id, 'w', '{"pages": 2}'), true, 'its worker completes it') from claimed;
reset role;
select results_eq($$ select table_name, action from mill.audit_log where job_id = (select job_id from claimed) order by id $$,
  $$ values ('job_queue', 'enqueue'), ('job_queue', 'complete') $$, 'K17: the audit row of a completion names job_queue');

-- K18
create temp table type as select unnest(array['fast_queue_security', 'fast_queue_ocr', 'fast_queue_spatial', 'ai_queue_pass1', 'ai_queue_pass2', 'ai_queue_pass3', 'audit_cleanup',
  'notification_delivery', 'report_generation', 'backup_operation', 'system_maintenance', 'consent_verification']) as type;
grant select on type to service_role;
create temp table every (type text, id uuid);
grant all on every to service_role;
set role service_role;
insert into every select type, public.enqueue_job_v3(type, 'K18', '{"a": 1}') from type;
select is((select count(*)::int from public.job_queue q join every e on q.id = e.id and q.job_type = e.type), 12, 'K18: each of the twelve job types is accepted');
select is((select count(*)::int from every e where not exists (
  select from public.claim_next_job_v3('own', array[e.type]) c where c.job_type = e.type)), 0, 'K18: each of the twelve job types is handed to a worker that asks for it');
reset role;
select throws_ok($$ select public.enqueue_job_v3('surprise', 'x', '{"a": 1}') $$, 'GM001', null, 'K18: another job type is refused');
select is_empty($$ select kind from mill.kind where kind in ('audit_cleanup', 'notification_delivery', 'report_generation', 'backup_operation', 'system_maintenance', 'consent_verification')
  and part <> 'compat' $$, 'K18: the six types without a handler of ours come with compat, for the user''s workers');
select * from finish();
