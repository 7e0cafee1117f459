-- Takes back expired leases. Skips rows that are locked: their holder is settling or extending them.
create or replace function mill.reclaim(p_max int default 1000) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_rows tid[] := mill.lock_expired_leases(v_now, p_max);
begin
  if v_rows = '{}' then
    return 0;
  end if;
  return mill.return_lost_jobs(v_rows, mill.worker_lost_error('the lease expired before the worker settled'),
    mill.setting('worker.reclaim_jitter_max_seconds', '60')::numeric, v_now);
end
$$;

comment on function mill.reclaim(int) is 'Returns jobs of lost workers to retrying with jitter, or buries them; says how many leases were lost.';
revoke execute on function mill.reclaim(int) from public;
