select plan(5);
create function pg_temp.many(p_from int, p_to int) returns void language sql as $$
  select mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(p_from, p_to) n))
$$;
create function pg_temp.claimed(p_max int) returns int[] language sql as $$
  select array_agg((payload ->> 'n')::int order by (payload ->> 'n')::int) from mill.claim('w', array['default'], p_max)
$$;
select mill.enqueue('[{"kind": "echo", "payload": {"n": 1}}]');
select pg_temp.many(2, 51);
select mill.enqueue('[{"kind": "echo", "payload": {"n": 52}}, {"kind": "echo", "payload": {"n": 1000}, "priority": 1}, {"kind": "echo", "payload": {"n": 0}, "priority": 9}]');
select pg_temp.many(53, 72);
select is(pg_temp.claimed(1), array[0], 'a higher priority goes first');
select is(pg_temp.claimed(1), array[1], 'the jobs that came before the pack are claimed next');
select is(pg_temp.claimed(50), (select array_agg(n) from generate_series(2, 51) n), 'the pack is claimed after the jobs before it');
select is(pg_temp.claimed(21), (select array_agg(n) from generate_series(52, 72) n), 'what came between two packs, and the second');
select is(pg_temp.claimed(100), array[1000], 'jobs with a lower priority are claimed last');
select * from finish();
