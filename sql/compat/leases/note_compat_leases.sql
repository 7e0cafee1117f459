-- Called by every compat claim for what it has just leased, in the same transaction. Compat workers extend their leases rarely
-- or never, so their leases are those of the documents, whatever the queue's own lease is.
create or replace function mill.note_compat_leases(p_ids uuid[], p_seconds numeric, p_heartbeat_seconds numeric default null) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := mill.now();
  v_until timestamptz := v_now + make_interval(secs => p_seconds::double precision);
  v_heartbeat_at timestamptz := v_now + make_interval(secs => p_heartbeat_seconds::double precision);
begin
  insert into mill.compat_lease as c (id, worker, attempt, started_at, seen_at, heartbeat_at)
  select j.id, j.worker, j.attempt, j.started_at, v_now, v_heartbeat_at from mill.job_live j
  where j.id = any (p_ids) and j.state = 'processing' order by j.id
  on conflict (id) do update set worker = excluded.worker, attempt = excluded.attempt, started_at = excluded.started_at,
    seen_at = excluded.seen_at, heartbeat_at = excluded.heartbeat_at;
  update mill.job_live j set lease_until = v_until where j.id = any (p_ids) and j.state = 'processing' and j.lease_until <> v_until;
end
$$;

comment on function mill.note_compat_leases(uuid[], numeric, numeric) is
  'Records that a compat claim gave out the leases of these jobs, lets them last for the seconds, and notes when a heartbeat is due.';
revoke execute on function mill.note_compat_leases(uuid[], numeric, numeric) from public;
