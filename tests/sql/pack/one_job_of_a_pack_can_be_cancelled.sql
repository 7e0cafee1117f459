select plan(5);
update mill.queue set dequeue = 'priority' where queue = 'default'; -- fair by default, which has no packs and an index of what runs
create temp table made as
select m.id, m.at from unnest(mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 100) n))) with ordinality as m(id, at);
select results_eq('select c.status from mill.cancel(array(select id from made where at in (3, 4))) c', array['cancelled', 'cancelled'], 'cancelled at once');
select is((select array_agg((payload ->> 'n')::int order by id) from mill.job where state = 'cancelled'), array[3, 4], 'only the two jobs that were named are cancelled');
select is((select array[count(*), (select sum(jobs) from mill.pack)] from mill.job_live), array[48, 50]::bigint[], 'their pack is rows now, the other is not');
select is((select status from mill.cancel(array[gen_random_uuid()])), 'not_live', 'a stranger is in no pack');
select is((select array_agg((payload ->> 'n')::int order by (payload ->> 'n')::int) from mill.claim('w', array['default'], 100)),
  (select array_agg(n) from generate_series(1, 100) n where n not in (3, 4)), 'all others are claimed');
select * from finish();
