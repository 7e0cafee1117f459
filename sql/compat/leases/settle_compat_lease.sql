-- For compatible calls that carry neither worker nor attempt. They mean the job as it is leased now, provided that a compat
-- claim gave out that lease: what our own functions and worker hold is out of their reach.
create or replace function mill.settle_compat_lease(p_id uuid, p_outcome jsonb, p_queues text default null) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
begin
  return (p_queues is null or exists (select from mill.job_live j where j.id = p_id and j.queue ~ p_queues))
    and mill.settle_by_name(p_id, (mill.lock_compat_lease(p_id)).worker, p_outcome);
end
$$;

comment on function mill.settle_compat_lease(uuid, jsonb, text) is
  'Settles a job that is processing under a lease that a compat claim gave out; false for any other. p_queues is a pattern for its queue.';
revoke execute on function mill.settle_compat_lease(uuid, jsonb, text) from public;
