-- Also K18: six types of the older system have no handler of ours.
select plan(12);
set mill.now = '2030-01-01 00:00+00';
update mill.schedule set declared_at = '2030-01-01 00:00+00';
create function pg_temp.ailing() returns text[] language sql as $$
  select coalesce(array_agg(c ->> 'name'), '{}') from jsonb_array_elements(public.health_report() -> 'checks') c where not (c ->> 'ok')::boolean $$;
create function pg_temp.notes() returns text language sql as $$ select coalesce(string_agg(n, '; ' order by n), '') from jsonb_array_elements_text(public.health_report() -> 'notes') n $$;
create function pg_temp.well() returns void language sql as $$ select mill.record_heartbeat(name) from mill.schedule $$;
create temp table six as select * from unnest(array['audit_cleanup', 'notification_delivery', 'report_generation', 'backup_operation', 'system_maintenance', 'consent_verification']) kind;
grant select on six to service_role;
set role service_role;
select is(count(public.enqueue_job_v3(kind, kind, '{"a": 1}')), 6::bigint, 'K18: the six types without a handler of ours are accepted') from six;
-- Our container worker asks for its own kinds of the same queue.
select is(public.claim_jobs('ours', array['standard', 'fast'], 10, array['document_sweep', 'fast_queue_ocr'], null, true), '[]', 'our worker asks for none of the six');
reset role;
set mill.now = '2030-01-01 00:20+00';
select pg_temp.well();
select is(pg_temp.ailing(), '{}', 'K18: jobs that no worker has ever asked for leave health green after twenty minutes');
select is((select count(*) from six where pg_temp.notes() like '%' || kind || ': no worker serves this kind%'), 6::bigint, 'health says of each of the six that no worker serves this kind');

set role service_role;
create temp table held as select * from public.claim_next_job_v3('theirs', array['report_generation']);
select is((select job_type from held), 'report_generation', 'a worker of the user asks for one of the six and gets its job');
select is(public.complete_job((select job_id from held), 'theirs', '{"a": 1}'), true, 'the worker of the user completes the job');
reset role;
select unalike(pg_temp.notes(), '%report_generation%', 'a kind that a worker has asked for is no note any more');
select matches(pg_temp.notes(), 'backup_operation: no worker serves this kind', 'the other kinds of the same queue stay notes');
select is(pg_temp.ailing(), '{}', 'a kind without work is no cause for alarm');
set role service_role;
select public.enqueue_job_v3('report_generation', 'again', '{"a": 2}');
reset role;
set mill.now = '2030-01-01 00:26+00';
select pg_temp.well();
select is(pg_temp.ailing(), array['oldest_due_job', 'workers'], 'a kind that was asked for once and is not any more turns health red');

-- Claims of jobs without naming kinds ask for all kinds of the queue.
set role service_role;
select public.claim_jobs('any', array['standard'], 1);
reset role;
select is(pg_temp.notes(), '', 'a worker that asks for any kind serves every kind of its queue');
select is((select count(*) from mill.kind where queue = 'fast' and first_asked_at is null), 2::bigint, 'kinds of a queue that was not asked for stay as they are');
select * from finish();
