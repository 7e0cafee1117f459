-- The fence of an application: the job that a holder holds, or null. An application calls it before it reads the payload or writes
-- rows that belong to the attempt.
--
-- The row stays locked until the transaction ends, so reclaim and cancel wait for what the application writes. A job that was asked
-- to cancel is held by nobody: its worker must stop. Lock order: an application's own advisory locks, the job, the application's rows.
--
-- The answer is a row of nulls when there is none: test its id.
create or replace function mill.held_job(p_holder mill.holder) returns mill.job_live
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_job mill.job_live;
begin
  select j.* into v_job from mill.job_live j
  where j.id = p_holder.job and j.attempt = p_holder.attempt and j.worker = p_holder.worker and j.state = 'processing'
    and not j.cancel_requested
  for update;
  return v_job;
end
$$;

comment on function mill.held_job(mill.holder) is 'The running job that a holder holds, locked until the transaction ends; its id is null when the lease is lost or the job was asked to cancel.';
revoke execute on function mill.held_job(mill.holder) from public;
