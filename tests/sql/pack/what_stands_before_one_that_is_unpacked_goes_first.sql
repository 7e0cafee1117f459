select plan(1);
select mill.enqueue('[{"kind": "echo", "payload": {"n": 1}}, {"kind": "echo", "payload": {"n": 2}}]');
select mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(3, 52) n));
update mill.floor_version set advance_at = 'infinity'; -- as nearly always: one claim in 300 ms looks closer
select is(
  (select array_agg((payload ->> 'n')::int order by (payload ->> 'n')::int) from mill.claim('w', array['default'], 5)),
  array[1, 2, 3, 4, 5], 'a claim that wants fewer than are in the pack begins with the rows before it');
select * from finish();
