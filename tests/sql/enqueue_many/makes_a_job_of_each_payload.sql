select plan(9);
select is(mill.enqueue_many('echo', '[]'), '{}', 'no payload, no job');
create temp table made as select m.id, m.at from unnest(mill.enqueue_many('echo', '[{"n": 0}, {"n": 1}, {"n": 2}]')) with ordinality as m(id, at);
select results_eq('select (j.payload ->> ''n'')::int from mill.job j join made m using (id) order by m.at', array[0, 1, 2], 'ids are in the order of the payloads');
select results_eq('select c.payload ->> ''n'' from mill.claim(''w'', array[''default''], 3) c join mill.job j using (id) order by j.turn', array['0', '1', '2'], 'jobs stand in their line in the order of the payloads');
select throws_ok($$ select mill.enqueue_many('echo', '[{"n": 1}, {}]') $$, 'GM002', null, 'an empty payload is refused');
select throws_ok($$ select mill.enqueue_many('nobody', '[{"n": 1}]') $$, 'GM001', null, 'an unknown kind is refused');
select throws_ok($$ select mill.enqueue_many('echo', '{"n": 1}') $$, 'GM004', null, 'what is not an array is refused');
select is((select count(*) from mill.job), 3::bigint, 'a refused call of enqueue_many writes nothing');

insert into mill.queue (queue, dequeue, depth_limit) values ('narrow', 'fair', 2);
insert into mill.kind (kind, queue) values ('n', 'narrow');
select is((select count(m) from unnest(mill.enqueue_many('n', '[{"n": 1}, {"n": 2}, {"n": 3}]')) m), 2::bigint, 'what a full queue throttles has no id');
select is((select count(*) from mill.claim('w', array['narrow'], 10)), 2::bigint, 'a fair queue finds them');
select * from finish();
