select plan(3);
set mill.now = '2030-01-01 00:00+00';
select mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 50) n));
select mill.claim('victim', array['default'], 50);
set mill.now = '2030-01-01 00:06+00';
select is(mill.reclaim(), 50, 'a worker died with its batch');
select mill.judge_breakers();
select is((select state from mill.breaker where target = 'processor'), 'closed', 'one crash opens nothing');
insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome)
select mill.now(), 50, 0, 0, 0, 'default', 'echo', 'lost' from generate_series(1, 19);
select mill.judge_breakers();
select is((select state from mill.breaker where target = 'processor'), 'open', 'twenty crashes open the breaker');
select * from finish();
