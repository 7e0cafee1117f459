-- For documented calls that carry neither worker nor attempt. They mean the job as it is leased now, provided that a documented
-- claim gave out that lease: what our own functions and worker hold is out of their reach. The row of the job is locked
-- before it is judged, so that the lease cannot change hands in between.
create or replace function mill.settle_compat_lease(p_id uuid, p_outcome jsonb, p_queues text default null) returns boolean
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
  where c.id = p_id and j.state = 'processing' and (p_queues is null or j.queue ~ p_queues);
  return found and mill.settle_by_name(p_id, v_lease.worker, p_outcome);
end
$$;

comment on function mill.settle_compat_lease(uuid, jsonb, text) is
  'Settles a job that is processing under a lease that a documented claim gave out; false for any other. p_queues is a pattern for its queue.';
revoke execute on function mill.settle_compat_lease(uuid, jsonb, text) from public;
