select plan(4);
analyze mill.job_live, mill.pack, mill.pack_lease;
select mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 50000) n));
create function pg_temp.scans() returns bigint language sql volatile as $$
  select sum(seq_scan)::bigint from pg_stat_user_tables where relid in ('mill.job_live'::regclass, 'mill.pack'::regclass, 'mill.pack_lease'::regclass)
$$;
select pg_stat_force_next_flush();
create temp table before as select pg_temp.scans() as scans;
select is((select count(*) from mill.claim('w', array['default'], 500)), 500::bigint, 'claimed whole');
select is((select count(*) from mill.claim('w', array['default'], 7)), 7::bigint, 'a pack is claimed in part');
select mill.cancel(array[mill.pack_of('ffffffff-ffff-ffff-ffff-ffffffffffff')]);
select mill.settle('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed')) from mill.claim('w', array['default'], 100)));
set mill.now = '2099-01-01';
select is(mill.reclaim(), 507, 'leases are found');
reset mill.now;
select mill.tick();
select pg_stat_force_next_flush();
select is(pg_temp.scans(), (select scans from before), 'without a sequential scan');
select * from finish();
