select plan(6);
insert into mill.queue (queue, max_running_per_group) values ('grouped', 2);
insert into mill.kind (kind, queue) values ('g', 'grouped');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'g', 'payload', '{"a": 1}'::jsonb, 'group_key', g, 'priority', p))
  from (select 'a', 9 from generate_series(1, 50) union all select 'b', 5 from generate_series(1, 3) union all select 'c', 7 from generate_series(1, 1)) as t(g, p)));
select mill.enqueue('[{"kind": "g", "payload": {"a": 1}}, {"kind": "g", "payload": {"a": 1}}, {"kind": "g", "payload": {"a": 1}}]');
create temp table held as select * from mill.claim('w', array['grouped'], 4);
select is((select array_agg(group_key order by group_key) from held), array['a', 'a', 'b', 'c'], 'two of a group, by priority over all groups');
create temp table more as select * from mill.claim('w', array['grouped'], 100);
select is((select array_agg(group_key order by group_key) from more), array['b', null, null, null], 'jobs without a group are in none');
select is_empty($$ select * from mill.claim('w', array['grouped'], 100) $$, 'nothing while the caps are reached');
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'failed', 'delay_seconds', 1000)) from held where group_key = 'a'));
select is((select array_agg(group_key) from mill.claim('w', array['grouped'], 100)), array['a', 'a'], 'an attempt that ended makes room, whatever its outcome');
update mill.queue set max_running_per_group = 3 where queue = 'grouped';
select is((select array_agg(group_key order by group_key) from mill.claim('w', array['grouped'], 100)), array['a', 'b'], 'a higher cap counts at once');
update mill.queue set max_running_per_group = null where queue = 'grouped';
select is((select count(*) from mill.claim('w', array['grouped'], 100)), 45::bigint, 'without a cap the rest is free');
select * from finish();
