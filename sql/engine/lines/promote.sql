-- The index that finds what is due is shared by all queues, so one claim promotes for all. Skips what is
-- locked and so never waits: see mill.running_transactions.
create or replace function mill.promote(p_max int default 10000) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_now timestamptz := mill.now();
  v_running xid[] := mill.running_transactions();
  v_rows tid[];
begin
  v_rows := array(
    select j.ctid from mill.job_live j
    where j.waits and j.run_at <= v_now and j.xmax <> all (v_running)
    order by j.run_at
    limit p_max
    for update skip locked);
  if cardinality(v_rows) = 0 then
    return 0;
  end if;

  perform pg_current_xact_id(); -- before the clock: see mill.raise_floors
  update mill.job_live j set state = 'pending', waits = false, turn = mill.clock_us() where j.ctid = any (v_rows);
  return cardinality(v_rows);
end
$$;

comment on function mill.promote(int) is 'Makes deferred and retrying jobs pending once they are due, at the end of their line; says how many.';
revoke execute on function mill.promote(int) from public;
