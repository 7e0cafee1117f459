select plan(8);
create function pg_temp.many(p_kind text, p_count int, p_text text) returns bigint language sql as $$
  select count(m) from unnest(mill.enqueue_many(p_kind, (select jsonb_agg(jsonb_build_object('n', n, 'text', p_text)) from generate_series(1, p_count) n))) m
$$;
insert into mill.queue (queue, batch_size, max_running) values ('small', 19, null), ('capped', 100, 1);
insert into mill.kind (kind, queue) values ('s', 'small'), ('c', 'capped');
select pg_temp.many('echo', 19, '');
select is((select count(*) from mill.job_live), 19::bigint, 'fewer than twenty');
select pg_temp.many('echo', 20, repeat('x', 300));
select is((select count(*) from mill.job_live), 39::bigint, 'large ones');
select pg_temp.many('s', 50, '');
select is((select count(*) from mill.job_live where queue = 'small'), 50::bigint, 'jobs of a queue whose batches are small are rows at once');
select pg_temp.many('c', 50, '');
select is((select count(*) from mill.job_live where queue = 'capped'), 50::bigint, 'jobs of a queue that counts what runs are rows at once');
select is((select count(*) from mill.pack), 0::bigint, 'none is packed');
select throws_ok($$ select pg_temp.many('echo', 50, repeat('x', 70000)) $$, 'GM003', null, 'one that is too large is refused');
select throws_ok($$ select mill.enqueue_many('echo', (select jsonb_agg(case when n = 77 then '[]' else '{"n": 1}' end::jsonb) from generate_series(1, 100) n)) $$,
  'GM002', null, 'one payload among many that is no object is refused, and nothing is written');
select throws_ok($$ select mill.enqueue_many('echo', (select jsonb_agg(1) from generate_series(1, 900001))) $$, 'GM004', null, 'more than can be told apart are refused');
select * from finish();
