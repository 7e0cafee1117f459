-- A compat heartbeat never shortens a lease: a compat worker sends one at the start and perhaps no more. What the queue's own lease
-- would be plays no part.
create or replace function mill.heartbeat_by_name(p_id uuid, p_worker text, p_seconds numeric, p_progress int default null, p_heartbeat_seconds numeric default null)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_lease mill.compat_lease := mill.lock_compat_lease(p_id);
  v_until timestamptz := (select j.lease_until from mill.job_live j where j.id = p_id);
  v_now timestamptz := mill.now();
begin
  if v_lease.id is null or v_lease.worker is distinct from p_worker or not exists (
    select from mill.heartbeat(p_worker, jsonb_build_array(jsonb_build_object('id', p_id, 'attempt', v_lease.attempt, 'progress', p_progress))) h
    where h.status = 'held')
  then
    return false;
  end if;
  update mill.job_live j set lease_until = greatest(v_until, v_now + make_interval(secs => p_seconds::double precision)) where j.id = p_id;
  update mill.compat_lease c set seen_at = v_now, heartbeat_at = v_now + make_interval(secs => p_heartbeat_seconds::double precision) where c.id = p_id;
  return true;
end
$$;

comment on function mill.heartbeat_by_name(uuid, text, numeric, int, numeric) is
  'Extends the lease of the job that a worker holds to at least the seconds from now, and notes when its next heartbeat is due; false when it is lost or the job was cancelled.';
revoke execute on function mill.heartbeat_by_name(uuid, text, numeric, int, numeric) from public;
