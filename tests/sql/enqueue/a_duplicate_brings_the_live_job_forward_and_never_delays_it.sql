select plan(8);
set mill.now = '2030-01-01 00:00+00';
create temp table first as select * from mill.enqueue(
  '[{"kind": "echo", "payload": {"a": 1}, "dedupe_key": "k", "priority": 3, "run_at": "2030-01-02T00:00:00Z"}]');
create temp table second as select * from mill.enqueue(
  '[{"kind": "echo", "payload": {"a": 2}, "dedupe_key": "k", "priority": 7, "run_at": "2030-01-01T12:00:00Z"}]');
select is((select status from second), 'duplicate', 'the second is a duplicate');
select is((select id from second), (select id from first), 'a duplicate is answered with the id of the live job');
select results_eq('select priority, run_at, payload from mill.job',
  $$ values (7, '2030-01-01 12:00+00'::timestamptz, '{"a": 1}'::jsonb) $$, 'higher priority, earlier, payload kept');

select mill.enqueue('[{"kind": "echo", "payload": {"a": 3}, "dedupe_key": "k", "priority": 1, "run_at": "2030-02-01T00:00:00Z"}]');
select results_eq('select priority, run_at from mill.job',
  $$ values (7, '2030-01-01 12:00+00'::timestamptz) $$, 'a lazier duplicate changes nothing');

select mill.enqueue('[{"kind": "echo", "payload": {"a": 4}, "dedupe_key": "k"}]');
select is((select state from mill.job), 'pending', 'a duplicate that is due now makes it due now');

create temp table twins as select * from mill.enqueue(
  '[{"kind": "echo", "payload": {"a": 1}, "dedupe_key": "t"}, {"kind": "echo", "payload": {"a": 2}, "dedupe_key": "t"}]');
select is((select array_agg(status order by ordinal) from twins), array['new', 'duplicate'], 'twins in one batch make one job');
select is((select count(distinct id) from twins), 1::bigint, 'twins in one batch share one id');

select mill.settle('w', jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'completed', 'result', '{}'::jsonb)))
from mill.claim('w', array['default'], 10) c;
select is((select status from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "dedupe_key": "t"}]')), 'new',
  'a finished job frees its key');
select * from finish();
