-- Leases make this unnecessary; whoever calls it wants a shorter patience. Skips what is locked: a settlement that holds a
-- row goes first, and the two can never wait for each other.
create or replace function public.recover_stuck_jobs(timeout_minutes int default 5, max_retries int default 3) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
begin
  perform mill.require_primary();
  update mill.job_live j set lease_until = v_now, max_attempts = least(j.max_attempts, coalesce(max_retries, 3) + 1)
  where j.ctid = any (array(
    select o.ctid from mill.queue q
    cross join lateral (
      select o.ctid from mill.job_live o
      where o.slot = q.queue and o.started_at <= v_now - make_interval(mins => coalesce(timeout_minutes, 5))
      limit 1000 for update skip locked) o
    where q.queue ~ '^refresh(-|$)'));
  perform mill.reclaim();
end
$$;

comment on function public.recover_stuck_jobs(int, int) is 'Takes back refreshes that run for longer than the minutes, and every expired lease.';
revoke execute on function public.recover_stuck_jobs(int, int) from public, anon, authenticated;
grant execute on function public.recover_stuck_jobs(int, int) to service_role;
