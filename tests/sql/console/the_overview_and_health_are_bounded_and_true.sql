select plan(23);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000a", "email": "vi@example.com", "gristmill_role": "viewer"}', false);
create function pg_temp.queue(p_queue text) returns jsonb language sql as $$ select q from jsonb_array_elements(public.console_overview() -> 'queues') q where q ->> 'queue' = p_queue $$;
select is(public.console_start() #>> '{actor,email}', 'vi@example.com', 'the start says who it is');
select is(public.console_start() -> 'may', '{"act": false, "reveal": false, "schedule": false, "administer": false}', 'the start says what a viewer may do');
select is((select array_agg(p) @> array['engine', 'console', 'workflows'] from jsonb_array_elements_text(public.console_start() -> 'parts') p), true, 'the start says which parts are installed');
select matches(public.console_start() ->> 'version', '^[0-9]+\.[0-9]+\.[0-9]+', 'the start says which version is installed');
select is(public.console_start() ->> 'payloads', 'masked', 'payloads are masked by default');

select count(*) from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, 20) n));
select count(*) from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "run_at": "2099-01-01"}]');
select count(*) from mill.claim('w', array['default'], 10);
select count(*) from mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', 1, 'outcome', case when (payload ->> 'n')::int % 2 = 0 then 'completed' else 'dead' end, 'error', '{"message": "x"}'::jsonb)) from mill.job_live where worker = 'w'));
select is(pg_temp.queue('default') - array['sparkline', 'hour', 'oldest_due', 'description', 'breaker', 'target_seconds', 'cap', 'served_by', 'pending_about'],
  '{"queue": "default", "paused": false, "draining": false, "pending": 10, "pending_more": false, "running": 0, "running_more": false, "waiting": 1, "waiting_more": false, "dead": 5, "dead_more": false}', 'a queue is told in numbers');
select is(pg_temp.queue('default') #>> '{hour,failure_share}', '0.5000', 'the share of failures of the last hour is told');
select is((select sum(v::int)::int from jsonb_array_elements_text(pg_temp.queue('default') #> '{sparkline,completed}') v), 5, 'the sparkline has what was completed');
select is((select sum(v::int)::int from jsonb_array_elements_text(pg_temp.queue('default') #> '{sparkline,failed}') v), 5, 'the sparkline has what has failed');
select is(jsonb_array_length(pg_temp.queue('ai') #> '{sparkline,completed}'), 60, 'a sparkline has 60 minutes, also of a queue without any jobs');
select is(public.console_suggest('worker', 'w') #>> '{values,0,value}', 'w', 'values of the newest jobs are completed');
select count(*) from unnest(mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 20000) n)));
analyze mill.pack;
analyze mill.job_live;
select is(pg_temp.queue('default') ->> 'pending', '10000', 'counting stops at 10,000');
select is((pg_temp.queue('default') ->> 'pending_about')::int between 15000 and 25000, true, 'where counting stops, an estimate tells about how many there are');

select is((select count(*)::int from jsonb_array_elements(public.console_health() -> 'checks') c where c ->> 'name' = 'cron'), 1, 'health has the checks');
select is((select count(*)::int from jsonb_array_elements(public.console_health() -> 'tables') t where t ->> 'name' = 'mill.job_live'), 1, 'health has the sizes of tables');
select is((select (t ->> 'partitions')::int > 1 from jsonb_array_elements(public.console_health() -> 'tables') t where t ->> 'name' = 'mill.job_done'), true, 'partitions are added up under their table');
insert into mill.invocation (id, queue, reason, asked_at, begun_at, ended_at, failure) values (mill.uuid7(), 'default', 'wake', now(), now(), now(), 'answered 500');
select is(public.console_health() #> '{invocations,hour}', '{"asked": 1, "begun": 1, "failed": 1, "more": false}', 'invocations of the last hour are counted');
select is(public.console_health() #>> '{invocations,recent,0,failure}', 'answered 500', 'what invocations answered is told');

-- What doctor finds in Postgres.
drop function if exists mill.damage();
select is(public.console_findings(), '{"looked": false, "findings": []}', 'an installation that cannot look at itself says so');
create function mill.damage() returns table (finding text, mend text) language sql as $$ values ('the trigger x is gone', 'create trigger x …') $$;
select is(public.console_findings(), '{"looked": true, "findings": [{"level": "error", "sentence": "the trigger x is gone", "fix": "create trigger x …"}]}', 'what was lost is told with the SQL that restores it');

-- Completion.
select is((select string_agg(v ->> 'value', ' ' order by v ->> 'value') from jsonb_array_elements(public.console_suggest('key', 's') -> 'values') v), 'since: state:', 'keys are completed');
select is(public.console_suggest('kind', 'ech') #>> '{values,0,value}', 'echo', 'kinds are completed');
select is(public.console_suggest('payload', 'x') -> 'values', '[]', 'values of payloads are never suggested');
select * from finish();
