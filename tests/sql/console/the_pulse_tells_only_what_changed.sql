select plan(24);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000a", "gristmill_role": "viewer"}', false);
create temp table pulse (n int generated always as identity, got jsonb);
create function pg_temp.pulse(p_watch uuid[] default null) returns jsonb language sql as $$
  insert into pulse (got) select public.console_pulse((select got ->> 'cursor' from pulse order by n desc limit 1), p_watch) returning got $$;
select is(jsonb_array_length(pg_temp.pulse() -> 'queues'), (select least(20, count(*))::int from mill.queue), 'the first pulse tells every queue');
select is(pg_temp.pulse() -> 'queues', '[]', 'the next pulse tells no queue that has not changed');
create temp table job as select e.id from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 2}}]') e;
create temp table third as select pg_temp.pulse(array(select id from job)) as got;
select is(got #> '{queues,0,queue}', '"default"', 'a queue that has changed is told') from third;
select is(jsonb_array_length(got -> 'queues'), 1, 'only the queue that has changed is told') from third;
select is(got #> '{queues,0,pending}', '2', 'pending jobs are counted') from third;
select is(got -> 'watch' -> (select max(id::text) from job), '["pending", 0, 0]', 'a job on the screen is told') from third;
select is(pg_temp.pulse(array(select id from job)) -> 'watch', '{}', 'a job on the screen that has not changed is not told again');
update mill.queue set max_running = 10 where queue = 'default';
select mill.claim('w', array['default'], 1);
create temp table fifth as select pg_temp.pulse(array(select id from job)) as got;
select is(got #> '{queues,0,running}', '1', 'running jobs are counted') from fifth;
select is((select count(*)::int from fifth, jsonb_each(got -> 'watch') w where w.value = '["processing", 1, 0]'), 1, 'a job on the screen that has begun is told');
select mill.settle('w', jsonb_build_array(jsonb_build_object('id', id, 'attempt', 1, 'outcome', 'completed'))) from mill.job_live where worker = 'w';
select is((select count(*)::int from jsonb_each(pg_temp.pulse(array(select id from job)) -> 'watch') w where w.value ->> 0 = 'completed'), 1, 'a job on the screen that has ended is told');
select is(public.console_pulse(null, array['00000000-0000-7000-8000-000000000000'::uuid]) #>> '{watch,00000000-0000-7000-8000-000000000000,0}', 'gone', 'a job that is not there any more is gone');
select is((select count(*)::int from jsonb_object_keys(public.console_pulse(null, array(select gen_random_uuid() from generate_series(1, 100))) -> 'watch')), 25, 'no more than 25 jobs are watched');
select is(jsonb_array_length(public.console_pulse('{"q": 1') -> 'queues'), (select least(20, count(*))::int from mill.queue), 'a cursor that is none begins anew');
select is(public.console_pulse(repeat('x', 100000)) ->> 'again', 'false', 'a huge cursor begins anew');

-- Packed jobs are counted, and counting stops.
select count(*) from unnest(mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 1500) n)));
create temp table many as select pg_temp.pulse() as got;
select is(got #>> '{queues,0,pending}', '1000', 'counting stops at 1,000') from many;
select is(got #>> '{queues,0,pending_more}', 'true', 'where counting has stopped there are more') from many;

-- Minutes come when they are closed.
insert into mill.stat_minute (minute, queue, kind, outcome, bucket, jobs, total_ms, bytes)
select date_trunc('minute', now()) - interval '4 minutes', 'default', 'echo', o, 3, 7, 1, 1 from unnest(array['completed', 'failed', 'dead']) o;
select is((public.console_pulse(jsonb_build_object('m', now() - interval '10 minutes')::text) #> '{minutes,0}') - 'minute', '{"queue": "default", "completed": 7, "failed": 7, "dead": 7}', 'a closed minute is told');

-- Sixty queues are more than an answer holds.
insert into mill.queue (queue) select 'q' || lpad(n::text, 3, '0') from generate_series(1, 60) n;
delete from pulse;
create temp table many_queues as select 1 as n, pg_temp.pulse() as got;
insert into many_queues select n, pg_temp.pulse() from generate_series(2, 5) n;
select is((select bool_and(octet_length(got::text) < 8000) from many_queues), true, 'an answer stays small however many queues there are');
select is((select count(distinct q ->> 'queue')::int from many_queues, jsonb_array_elements(got -> 'queues') q), (select count(*)::int from mill.queue), 'what does not fit comes with the next pulse');
select is((select got ->> 'again' from many_queues where n = 1), 'true', 'an answer that leaves something out says so');
select is((select got ->> 'again' from many_queues where n = 5), 'false', 'in the end everything was told');

-- The rest.
insert into mill.alert (id, rule, subject, state, value, since, fired_at) values (gen_random_uuid(), 'queue_depth', 'default', 'firing', 2000, now(), now());
select is(pg_temp.pulse() -> 'alerts', '{"firing": 1, "changed": true}', 'an alert that fires is told');
select is(pg_temp.pulse() -> 'alerts', '{"firing": 1, "changed": false}', 'an alert that goes on firing has not changed');
select is((select a ->> 'subject' from jsonb_array_elements(public.console_overview() -> 'alerts') a), 'default', 'the overview has the alert');
select * from finish();
