-- The lease that a compat claim gave out, if the job is still processing under it. The row of the job is locked before it is judged, so
-- that the lease cannot change hands before the caller's transaction ends. A lease of our own functions and worker is none of these, even
-- if it bears the same worker's name.
create or replace function mill.lock_compat_lease(p_id uuid) returns mill.compat_lease
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_lease mill.compat_lease;
begin
  perform from mill.job_live j where j.id = p_id for update;
  select c.* into v_lease
  from mill.compat_lease c
  join mill.job_live j on j.id = c.id and j.worker = c.worker and j.attempt = c.attempt and j.started_at = c.started_at
  where c.id = p_id and j.state = 'processing';
  return v_lease;
end
$$;

comment on function mill.lock_compat_lease(uuid) is 'Locks a job; the lease that a compat claim gave out for it, null when it is not processing under one.';
revoke execute on function mill.lock_compat_lease(uuid) from public;
