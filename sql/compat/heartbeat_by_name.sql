-- A documented heartbeat never shortens a lease: a documented worker sends one at the start and perhaps no more. The row is locked first,
-- so that the lease which is compared is the one that mill.heartbeat extends.
create or replace function mill.heartbeat_by_name(p_id uuid, p_worker text, p_seconds numeric, p_progress int default null) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_lease record;
begin
  select j.attempt, j.lease_until into v_lease from mill.job_live j where j.id = p_id and j.worker = p_worker and j.state = 'processing' for update;
  if not found or not exists (
    select from mill.heartbeat(p_worker, jsonb_build_array(jsonb_build_object('id', p_id, 'attempt', v_lease.attempt, 'progress', p_progress))) h
    where h.status = 'held')
  then
    return false;
  end if;
  update mill.job_live j set
    lease_until = greatest(j.lease_until, v_lease.lease_until, mill.now() + make_interval(secs => p_seconds::double precision))
  where j.id = p_id;
  return true;
end
$$;

comment on function mill.heartbeat_by_name(uuid, text, numeric, int) is
  'Extends the lease of the job that a worker holds to at least the seconds from now; false when it is lost or the job was cancelled.';
revoke execute on function mill.heartbeat_by_name(uuid, text, numeric, int) from public;
