select plan(19);
set mill.now = '2030-01-01 00:00+00';
-- Nobody is woken here.
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
update mill.queue set max_attempts = 100, backoff_base_seconds = 0.001, backoff_cap_seconds = 0.001, max_lease_losses = 100;
-- What fires or resolves at this very moment.
create function pg_temp.judged(p_now timestamptz) returns text[] language plpgsql as $$
begin
  perform set_config('mill.now', p_now::text, false);
  perform mill.judge_alerts();
  return (select coalesce(array_agg(a.rule || ' ' || a.subject || ' ' || a.state order by a.rule), '{}') from mill.alert a
          where a.fired_at = p_now and a.state = 'firing' or a.resolved_at = p_now);
end $$;
create function pg_temp.jobs(p_count int) returns void language sql as $$
  select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, p_count))) $$;
create function pg_temp.settle(p_count int, p_outcome text) returns void language sql as $$
  select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', p_outcome))) from mill.claim('w', array['default'], p_count) $$;

select is(pg_temp.judged('2030-01-01 00:00+00'), '{}', 'a quiet system alarms about nothing');
select pg_temp.jobs(1001);
select is(pg_temp.judged('2030-01-01 00:01+00'), '{}', 'a deep queue is no alarm at once');
select is((select state from mill.alert where rule = 'queue_depth'), 'pending', 'a deep queue is watched from the first moment');
select is(pg_temp.judged('2030-01-01 00:10:01+00'), array['queue_stalled default firing'], 'nothing completed in ten minutes with work pending');
select pg_temp.settle(1, 'completed');
select is(pg_temp.judged('2030-01-01 00:10:30+00'), array['queue_stalled default resolved'], 'resolved by one that completes');
select is((select count(*) from mill.alert where rule = 'queue_depth'), 0::bigint, 'a pending alert that passes leaves no trace');
select pg_temp.jobs(5);
select pg_temp.judged('2030-01-01 00:11+00');
select pg_temp.settle(1, 'completed');
select ok('queue_depth default firing' = any (pg_temp.judged('2030-01-01 00:41+00')), 'over 1,000 for thirty minutes');
select pg_temp.settle(900, 'completed');
select pg_temp.settle(900, 'completed');
select ok('queue_depth default resolved' = any (pg_temp.judged('2030-01-01 00:42+00')), 'resolved when it is shallow');

select mill.set_breaker('processor', 'open', 'test');
select is(pg_temp.judged('2030-01-01 00:43+00'), array['breaker_open processor firing'], 'an open breaker raises an alert');
select mill.set_breaker('processor', 'closed', 'test');
select is(pg_temp.judged('2030-01-01 00:44+00'), array['breaker_open processor resolved'], 'the alert of a breaker is resolved when the breaker closes');

select pg_temp.jobs(10);
select pg_temp.settle(10, 'dead');
select is(pg_temp.judged('2030-01-01 00:45+00'), array['dead_letters_growing default firing'], 'ten dead letters within the hour');
select is(pg_temp.judged('2030-01-01 01:50+00'), array['dead_letters_growing default resolved'], 'the alert is resolved when there was no dead letter for an hour');

select pg_temp.jobs(200);
select pg_temp.settle(199, 'completed');
select count(*) from mill.claim('lost', array['default'], 1);
set mill.now = '2030-01-01 01:58+00';
select mill.reclaim();
select is(pg_temp.judged('2030-01-01 01:58+00'), array['lease_losses default firing'], 'one worker lost in two hundred attempts');
select is(pg_temp.judged('2030-01-01 03:10+00'), array['lease_losses default resolved'], 'the alert is resolved when no worker was lost for an hour');
delete from mill.job_live;

insert into mill.event (at, code, detail) select '2030-01-01 04:00+00', 'staleness_failed', '{"data_type": "quote"}' from generate_series(1, 5);
insert into mill.event (at, code) values ('2030-01-01 04:00+00', 'content_length_missing');
select is(pg_temp.judged('2030-01-01 04:00+00'), array['content_length_missing providers firing', 'data_type_warnings quote firing'], 'five warnings for one type; a length that was not announced');
select is(pg_temp.judged('2030-01-01 05:00:01+00'), array['content_length_missing providers resolved', 'data_type_warnings quote resolved'], 'forgotten after an hour');

-- The lock is held by a session of today: the clock goes back to it, and what lies ahead is forgotten.
delete from mill.event;
delete from mill.job_dead;
delete from mill.alert;
select pg_advisory_lock(7022311640271840);
select is(pg_temp.judged(clock_timestamp() + interval '9 minutes'), '{}', 'the pump''s lock may be held for minutes');
select is((pg_temp.judged(clock_timestamp() + interval '11 minutes'))[1], 'cron_lock_held process-queue-batch firing', 'the pump''s lock raises an alert when it is held for more than ten minutes');
select pg_advisory_unlock(7022311640271840);
select is((pg_temp.judged(clock_timestamp() + interval '12 minutes'))[1], 'cron_lock_held process-queue-batch resolved', 'cron_lock_held is resolved when the pump''s lock is freed');
select * from finish();
