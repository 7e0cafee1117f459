select plan(11);
set mill.now = '2030-01-01 00:00+00';
update mill.queue set max_attempts = 2 where queue = 'default';
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'name', o, 'payload', '{"a": 1}'::jsonb))
                     from unnest(array['completed', 'failed', 'snoozed', 'released', 'dead']) o));
create temp table held as select * from mill.claim('w', array['default'], 10);
create temp table answers as
select * from mill.settle('w', (select jsonb_agg(jsonb_build_object(
  'id', h.id, 'attempt', h.attempt, 'outcome', h.name, 'result', '{"r": 1}'::jsonb,
  'error', '{"type": "test", "message": "no"}'::jsonb, 'delay_seconds', case h.name when 'snoozed' then 90 end)) from held h));
select is((select count(*) from answers where status = 'accepted'), 5::bigint, 'all accepted');
select results_eq($$ select name, state, attempt from mill.job order by name $$,
  $$ values ('completed', 'completed', 1), ('dead', 'failed', 1), ('failed', 'retrying', 1), ('released', 'pending', 0), ('snoozed', 'deferred', 0) $$,
  'completed and dead leave; failed keeps its attempt; released and snoozed give it back');
select is((select result from mill.job where name = 'completed'), '{"r": 1}', 'the result is kept');
select is((select progress from mill.job where name = 'completed'), 100::smallint, 'progress is complete');
select is((select run_at from mill.job where name = 'snoozed'), '2030-01-01 00:01:30+00'::timestamptz, 'snoozed for as long as asked');
select ok((select run_at > mill.now() and run_at <= mill.now() + interval '2 seconds' from mill.job where name = 'failed'), 'the first backoff is at most its base');
select is((select error ->> 'worker' from mill.job where name = 'failed'), 'w', 'an error says who met it');
select is((select jsonb_array_length(error_log) from mill.job where name = 'dead'), 1, 'an error is kept in the history of its job');
select is((select count(*) from mill.job_dead), 1::bigint, 'a dead letter lies in its partition');

set mill.now = '2030-01-01 01:00+00';
select mill.settle('w', jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'failed', 'error', '{"type": "test"}'::jsonb)))
from mill.claim('w', array['default'], 10) c where c.name = 'failed';
select is((select state from mill.job where name = 'failed'), 'failed', 'at max_attempts a failure is final');
select throws_ok($$ select mill.settle('w', '[{"id": "00000000-0000-0000-0000-000000000000", "attempt": 1, "outcome": "maybe"}]') $$,
  'GM005', null, 'an unknown outcome is refused');
select * from finish();
