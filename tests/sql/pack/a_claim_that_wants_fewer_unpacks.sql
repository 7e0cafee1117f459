select plan(8);
update mill.queue set dequeue = 'priority' where queue = 'default'; -- fair by default, which has no packs and an index of what runs
select mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 70) n));
select is((select payload from mill.claim('w', array['default'], 1)), '{"n": 1}', 'the oldest goes first');
select is((select array_agg((payload ->> 'n')::int order by turn) from mill.job_live where state = 'pending'), (select array_agg(n) from generate_series(2, 50) n), 'the rest of its pack stands in line as rows');
select is((select array_agg(jobs) from mill.pack), array[20], 'the next pack is as it was');
select is((select array_agg((payload ->> 'n')::int order by (payload ->> 'n')::int) from mill.claim('w', array['default'], 60)), (select array_agg(n) from generate_series(2, 61) n), 'rows, then as much of the next pack as is asked for');
select is((select count(*) from mill.pack), 0::bigint, 'a pack that is claimed in part is unpacked');

-- Whoever has room for some packs and a part of the next.
select mill.claim('w', array['default'], 1000);
select mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('m', n)) from generate_series(1, 150) n));
select is((select array_agg((payload ->> 'm')::int order by (payload ->> 'm')::int) from mill.claim('w', array['default'], 120)), (select array_agg(n) from generate_series(1, 120) n), 'two packs and twenty of the third');
select is(mill.depth('default', 1000), 30, 'thirty are left');
select is((select count(*) from mill.claim('w', array['default'], 1000)), 30::bigint, 'the thirty jobs that are left are claimed');
select * from finish();
