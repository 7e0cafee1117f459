select plan(5);
insert into mill.queue (queue) values ('floors');
insert into mill.kind (kind, queue) values ('s', 'floors');
create function pg_temp.many(p_count int) returns void language sql as $$
  select mill.enqueue_many('s', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, p_count) n))
$$;
select pg_temp.many(100);
select mill.claim('w', array['floors'], 50);
select is((select turn from mill.floor where queue = 'floors'), (select min(turn) from mill.pack), 'the floor moves to where packs begin');
select mill.enqueue('[{"kind": "s", "payload": {"n": 1}}]');
select mill.claim('w', array['floors'], 50);
update mill.floor_version set advance_at = '-infinity' where line = (select line from mill.line where queue = 'floors');
select mill.raise_floors('floors');
select is((select turn from mill.floor where queue = 'floors'), (select turn from mill.job_live where queue = 'floors' and state = 'pending'), 'the floor moves to the first pending row when no pack is before it');

-- As if transactions that took their places before that committed only now.
select pg_temp.many(20);
update mill.pack set turn = (select turn - 1 from mill.floor where queue = 'floors');
select is((select count(*) from mill.claim('w', array['floors'], 100)), 21::bigint, 'a claim that comes up short looks below');
select pg_temp.many(20);
update mill.pack set turn = 1;
update mill.floor_version set safe = turn, mark = turn where line = (select line from mill.line where queue = 'floors');
select mill.repair_floors();
select is((select count(*) from mill.claim('w', array['floors'], 100)), 20::bigint, 'a pack below safe is found once per minute');
select is((select count(*) from mill.pack), 0::bigint, 'none is left');
select * from finish();
