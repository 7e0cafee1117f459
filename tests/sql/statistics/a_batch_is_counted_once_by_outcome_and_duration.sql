select plan(6);
set mill.now = '2030-01-01 00:00:30+00';
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 10)));
create temp table held as select *, row_number() over () as n from mill.claim('w', array['default'], 10);
set mill.now = '2030-01-01 00:00:30.15+00';
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed')) from held where n <= 6));
select is((select count(*) from mill.stat_batch), 1::bigint, 'one row a batch');
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'failed')) from held where n between 7 and 9));
select mill.cancel(array(select id from held where n = 10));
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed')) from held where n = 10));
select results_eq($$ select outcome, jobs, total_ms, bucket from mill.stat where outcome <> 'cancelled' order by 1 $$,
  $$ values ('completed', 6::bigint, 900::bigint, 7::smallint), ('failed', 3::bigint, 450::bigint, 7::smallint) $$, 'the row of a batch has its duration, in its bucket');
select is((select jobs from mill.stat where outcome = 'cancelled'), 1::bigint, 'a cancelled one too');
select ok((select bool_and(bytes > 0) from mill.stat), 'the row of a batch has its bytes');
set mill.now = '2030-01-01 00:05+00';
select mill.fold_statistics();
select is((select count(*) from mill.stat_batch), 0::bigint, 'later they are folded');
select is((select sum(jobs) from mill.stat_minute where minute = '2030-01-01 00:00+00'), 10::numeric, 'into the minute');
select * from finish();
