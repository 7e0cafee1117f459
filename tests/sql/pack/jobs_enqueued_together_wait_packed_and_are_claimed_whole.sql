select plan(19);
update mill.queue set dequeue = 'priority' where queue = 'default'; -- fair by default, which has no packs and an index of what runs
set request.jwt.claims = '{"role": "service_role"}';
create temp table made as
select m.id, m.at from unnest(mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 120) n))) with ordinality as m(id, at);
select is((select array_agg(jobs order by turn) from mill.pack), array[50, 50, 20], 'in packs of a batch of their queue');
select is((select count(*) from mill.job), 0::bigint, 'no row is written before they are claimed');
select is((select array_agg(id order by at) from made), (select array_agg(id order by id) from mill.packed_job), 'their ids ascend in the order of the payloads');
select is((select count(*) from mill.packed_job p join made m using (id) where (p.payload ->> 'n')::int = m.at), 120::bigint, 'each has its own payload');
select is((select count(distinct id) from made where id::text ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'), 120::bigint, 'ids are of version 7');

select is(mill.depth('default', 1000), 120, 'packed jobs count as waiting');
select is(mill.depth('default', 100), 100, 'no further than asked');
select ok(mill.has_pending('default'), 'packed jobs are seen as pending');
select ok(mill.oldest_due('default') > now() - interval '1 minute', 'the age of packed jobs is seen');
select is((select count(*) from public.job_queue where status = 'pending' and job_type = 'echo' and retry_count = 0), 120::bigint, 'the compatible view shows them');
select is((select public.get_job(id) - 'run_at' - 'created_at' from made where at = 77),
  (select jsonb_build_object('id', id, 'queue', 'default', 'kind', 'echo', 'name', null, 'state', 'pending', 'priority', 5, 'payload', '{"n": 77}'::jsonb,
    'progress', 0, 'attempt', 0, 'max_attempts', 5, 'result', null, 'error', null, 'correlation_id', null, 'traceparent', null, 'started_at', null, 'finished_at', null) from made where at = 77),
  'one can be asked for');
select is(public.get_job(gen_random_uuid()), null, 'one that is not there is not');

create temp table held as select * from mill.claim('w', array['default'], 100);
select is((select count(*) from held c join made m using (id) where m.at <= 100 and (c.payload ->> 'n')::int = m.at and c.attempt = 1 and c.max_attempts = 5), 100::bigint, 'a claim takes the oldest');
select is((select count(*) from mill.job_live where state = 'processing' and worker = 'w' and priority = 5 and started_at is not null), 100::bigint, 'claimed jobs of a pack are rows from now on');
select is(mill.count_processing('default'), 100, 'claimed jobs of a pack are running');
select is((select array_agg(jobs) from mill.pack), array[20], 'the rest waits');
select is(mill.complete('w', (select array_agg(id) from held), (select array_agg(attempt) from held)), '{}', 'jobs of a pack are completed as all others');
select is((select count(*) from mill.claim('w', array['default'], 1000)), 20::bigint, 'a claim with room to spare takes what there is');
select is((select count(*) from mill.pack), 0::bigint, 'no pack is left');
select * from finish();
