-- Once a minute. By ids it would walk over every job there is, and under a held snapshot over every one there was.
select plan(2);
insert into mill.queue (queue, dequeue) values ('fair', 'fair');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', jsonb_build_object('n', n))) from generate_series(1, 2000) n));
select pg_stat_force_next_flush();
create temp table before as select idx_tup_read from pg_stat_user_indexes where indexrelid = 'mill.job_live_pkey'::regclass;
select is(mill.adopt('fair'), 0, 'nothing to adopt');
select pg_stat_force_next_flush();
select is((select s.idx_tup_read from pg_stat_user_indexes s where indexrelid = 'mill.job_live_pkey'::regclass), (select idx_tup_read from before), 'no job of another queue was looked at');
select * from finish();
