select plan(15);
set mill.now = '2030-01-01 00:00+00';
select mill.enqueue('[{"kind": "echo", "payload": {"n": 1}}, {"kind": "echo", "payload": {"n": 2}}, {"kind": "echo", "payload": {"n": 3}}]');
create temp table claimed as select * from mill.claim('w', array['default'], 3);
create function pg_temp.holder(p_number int, p_worker text default 'w', p_attempt int default 1) returns mill.holder language sql as $$
  select (c.id, p_worker, p_attempt)::mill.holder from claimed c where c.payload ->> 'n' = p_number::text $$;
create function pg_temp.leases(p_attempt int default 1) returns jsonb language sql as $$
  select jsonb_agg(jsonb_build_object('id', c.id, 'attempt', p_attempt, 'outcome', 'ignored') order by c.id desc) from claimed c $$;

select is((mill.held_job(pg_temp.holder(1))).payload, '{"n": 1}', 'a holder gets the row of its job');
select is((mill.held_job(pg_temp.holder(1, 'other'))).id, null, 'another worker holds nothing');
select is((mill.held_job(pg_temp.holder(1, 'w', 2))).id, null, 'another attempt holds nothing');
select is((mill.held_job(null)).id, null, 'no holder holds nothing');

select results_eq($$ select (h.payload ->> 'n')::int from mill.held_jobs('w', pg_temp.leases()) h $$, $$ select (c.payload ->> 'n')::int from claimed c order by c.id $$,
  'a batch is locked in the order of ids, whatever order it is named in');
select is((select count(*)::int from mill.held_jobs('w', pg_temp.leases() || pg_temp.leases())), 3, 'a job that is named twice is held once');
select is((select count(*)::int from mill.held_jobs('other', pg_temp.leases())), 0, 'another worker holds none of a batch');
select is((select count(*)::int from mill.held_jobs('w', pg_temp.leases(2))), 0, 'another attempt holds none of a batch');

select is(mill.settle_held(pg_temp.holder(1), '{"outcome": "snoozed", "delay_seconds": 60}'), true, 'a held job is settled with any outcome');
select is(mill.is_completed_by(pg_temp.holder(1)), false, 'a job that was put off is not completed');
select throws_ok($$ select mill.settle_held(pg_temp.holder(2), '{"outcome": "fine"}') $$, 'GM005', null, 'an unknown outcome is refused');
select is(mill.settle_held(pg_temp.holder(2), '{"outcome": "completed", "id": "00000000-0000-4000-8000-000000000000", "attempt": 7}'), true,
  'the holder counts, not an id in the outcome');

select mill.cancel(array[(pg_temp.holder(3)).job]);
select is((select count(*)::int from mill.held_jobs('w', pg_temp.leases())), 0, 'a job that was asked to cancel is held by nobody');
select is(mill.settle_held(pg_temp.holder(3), '{"outcome": "completed"}'), false, 'a job that was asked to cancel is lost to its holder');
select is((select j.state from mill.job j where j.id = (pg_temp.holder(3)).job), 'cancelled', 'settling a job that was asked to cancel ends it as cancelled');
select * from finish();
