-- A claim changes what no index knows, so the new version lies on its page: see mill.job_live.
select plan(3);
update mill.queue set dequeue = 'priority' where queue = 'default'; -- fair by default, which has no packs and an index of what runs
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, 500) n));
select pg_stat_force_next_flush();
create temp table before as select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relid = 'mill.job_live'::regclass;
select is((select count(*) from mill.claim('w', array['default'], 500)), 500::bigint, 'claimed');
select mill.heartbeat('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt)) from (select id, attempt from mill.job_live limit 1) j));
select pg_stat_force_next_flush();
select cmp_ok((select s.n_tup_upd - b.n_tup_upd from pg_stat_user_tables s, before b where relid = 'mill.job_live'::regclass), '=', 501::bigint, 'a claim updates each job once');
select cmp_ok((select s.n_tup_hot_upd - b.n_tup_hot_upd from pg_stat_user_tables s, before b where relid = 'mill.job_live'::regclass), '>', 480::bigint, 'the update of a claim stays on its page');
select * from finish();
