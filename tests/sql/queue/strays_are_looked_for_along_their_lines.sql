-- Once a minute. By ids it would walk over every job there is, and under a held snapshot over every one there was.
select plan(4);
insert into mill.queue (queue, dequeue) values ('fair', 'fair');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, 2000) n));
select pg_stat_force_next_flush();
create temp table before as select idx_tup_read from pg_stat_user_indexes where indexrelid = 'mill.job_live_pkey'::regclass;
select is(mill.reassign_lanes('fair'), 0, 'a queue whose jobs stand in their lanes has nothing to reassign');
select pg_stat_force_next_flush();
select is((select s.idx_tup_read from pg_stat_user_indexes s where indexrelid = 'mill.job_live_pkey'::regclass), (select idx_tup_read from before), 'no job of another queue was looked at');

insert into mill.kind (kind, queue) values ('f', 'fair');
select mill.enqueue('[{"kind": "f", "payload": {"n": 1}, "group_key": "a"}]');
update mill.job_live set lane = null where queue = 'fair';
select is(mill.reassign_lanes('fair'), 1, 'a job that stands in no lane is put into its lane');
select pg_stat_force_next_flush();
select cmp_ok((select s.idx_tup_read from pg_stat_user_indexes s where indexrelid = 'mill.job_live_pkey'::regclass) - (select idx_tup_read from before), '<', 20::bigint, 'by its id alone');
select * from finish();
