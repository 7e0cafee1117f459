-- What felled the first prototype: statistics of an empty table, then a big one.
select plan(3);
insert into mill.queue (queue) values ('other');
insert into mill.kind (kind, queue) values ('o', 'other');
select mill.enqueue('[{"kind": "o", "payload": {"a": 1}}]');
analyze mill.job_live;
select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed'))) from mill.claim('w', array['other'], 1);
vacuum analyze mill.job_live;
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'o', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 20000)));
select pg_stat_force_next_flush();
create temp table before as select seq_scan, idx_tup_fetch from pg_stat_user_tables where relid = 'mill.job_live'::regclass;
select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', case when random() < 0.1 then 'failed' else 'completed' end)))
from mill.claim('w', array['other'], 500);
select mill.heartbeat('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt))) from mill.claim('w', array['other'], 100);
select mill.cancel(array(select id from mill.claim('w', array['other'], 10)));
select mill.tick();
select pg_stat_force_next_flush();
select is((select s.seq_scan from pg_stat_user_tables s where relid = 'mill.job_live'::regclass), (select seq_scan from before), 'no sequential scan of job_live');
select cmp_ok((select s.idx_tup_fetch from pg_stat_user_tables s where relid = 'mill.job_live'::regclass) - (select idx_tup_fetch from before), '<', 10000::bigint, 'a claim does not walk over a whole index');
select is((select count(*) from mill.job where state = 'processing'), 110::bigint, 'the planned claim did take jobs');
select * from finish();
