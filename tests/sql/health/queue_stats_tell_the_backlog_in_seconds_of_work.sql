select plan(9);
set mill.now = '2030-01-01 00:00:30+00';
-- Nobody is woken here.
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
update mill.queue set target_seconds = 10 where queue = 'default';
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 60)));
create temp table held as select * from mill.claim('w', array['default'], 10);
set mill.now = '2030-01-01 00:00:32+00';
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed')) from held));
create function pg_temp.stat(p_key text) returns text language sql as $$
  select s ->> p_key from jsonb_array_elements(public.queue_stats()) s where s ->> 'queue' = 'default' $$;
select is(pg_temp.stat('pending'), '50', 'what is due');
select is(pg_temp.stat('processing'), '0', 'what runs');
select is(pg_temp.stat('oldest_due_seconds'), '2.000', 'how long the oldest waits');
select is(pg_temp.stat('mean_ms'), '2000.0', 'what an attempt takes');
select is(pg_temp.stat('backlog_seconds'), '100.0', 'fifty jobs of two seconds');
select is(pg_temp.stat('workers_wanted'), '10', 'are cleared by ten workers in ten seconds');
select is(pg_temp.stat('p95_ms'), '5000', 'durations as the upper bound of their bucket');
set mill.now = '2030-01-01 00:01:10+00';
select is(pg_temp.stat('last_minute')::jsonb, '{"completed": 10}', 'the minute that is over, by outcome');
select ok(public.metrics_report() ?& array['queues', 'breakers', 'schedules', 'alerts', 'workers'], 'the report for /metrics has queues, breakers, schedules, alerts and workers');
select * from finish();
