select plan(4);
set mill.now = '2030-01-01 00:10+00';
create function pg_temp.batch(p_jobs int, p_outcome text, p_queue text default 'refresh', p_tenant text default null, p_permanent boolean default false, p_age interval default '1 second')
returns void language sql as $$
  insert into mill.stat_batch (at, jobs, bucket, total_ms, bytes, queue, kind, outcome, tenant, permanent)
  values (mill.now() - p_age, p_jobs, 0, 0, 0, p_queue, 'k', p_outcome, p_tenant, p_permanent)
$$;
create function pg_temp.seen(p_since timestamptz default '-infinity') returns text language sql as $$
  select format('%s attempts, %s failed, %s of one tenant, %s permanent', r.attempts, r.failures, r.worst, r.permanent) from mill.recent_attempts('processor:fmp', p_since) r
$$;
select is(pg_temp.seen(), '0 attempts, 0 failed, 0 of one tenant, 0 permanent', 'of nothing');
select pg_temp.batch(4, 'completed'), pg_temp.batch(3, 'failed', p_tenant => 'a'), pg_temp.batch(2, 'dead', p_tenant => 'b'), pg_temp.batch(5, 'lost'),
  pg_temp.batch(100, 'snoozed'), pg_temp.batch(100, 'released'), pg_temp.batch(100, 'cancelled');
select is(pg_temp.seen(), '10 attempts, 6 failed, 3 of one tenant, 0 permanent', 'what was completed, failed, died or was lost with its worker, which is one failure; nothing else');
select pg_temp.batch(7, 'dead', p_permanent => true), pg_temp.batch(50, 'failed', p_queue => 'default'), pg_temp.batch(50, 'failed', p_age => '2 minutes');
select is(pg_temp.seen(), '10 attempts, 6 failed, 3 of one tenant, 7 permanent', 'permanent errors are counted apart; another target and what is past the window are not counted');
select is(pg_temp.seen(mill.now()), '0 attempts, 0 failed, 0 of one tenant, 0 permanent', 'attempts from before the breaker last changed are not counted');
select * from finish();
