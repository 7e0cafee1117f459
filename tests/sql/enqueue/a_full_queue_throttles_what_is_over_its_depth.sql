select plan(7);
insert into mill.queue (queue, depth_limit) values ('shallow', 3);
insert into mill.kind (kind, queue) values ('s', 'shallow');
create temp table first as select * from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 's', 'payload', jsonb_build_object('n', n), 'dedupe_key', 'k' || n)) from generate_series(0, 4) n));
select is((select array_agg(status order by ordinal) from first), array['new', 'new', 'new', 'throttled', 'throttled'], 'the first that fit are taken, in order');
select is((select count(id) from first), 3::bigint, 'a throttled one has no id');
select is((select array_agg(status order by ordinal) from mill.enqueue('[{"kind": "s", "payload": {"n": 1}, "dedupe_key": "k1"}, {"kind": "s", "payload": {"n": 9}}]')),
  array['duplicate', 'throttled'], 'a duplicate needs no room');
select is((select array_agg(status order by ordinal) from mill.enqueue('[{"kind": "s", "payload": {"n": 1}}, {"kind": "echo", "payload": {"n": 9}}]')),
  array['throttled', 'new'], 'another queue has its own depth');
set request.jwt.claims = '{"role": "service_role"}';
select throws_ok($$ select public.submit_job('s', '{"n": 1}') $$, 'GM006', null, 'one alone is refused with GM006');
select mill.claim('w', array['shallow'], 2);
select is((select status from mill.enqueue('[{"kind": "s", "payload": {"n": 1}}]')), 'new', 'claimed jobs are no longer in the way');
select is((select count(*) from mill.job where queue = 'shallow'), 4::bigint, 'a full queue has no more rows than were answered');
select * from finish();
