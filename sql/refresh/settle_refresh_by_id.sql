-- The documented calls carry neither worker nor attempt. A job that never lost a lease has only one worker that could be
-- speaking of it; for one that did, the answer is false and nothing changes, as with reschedule_job.
create or replace function mill.settle_refresh_by_id(p_id uuid, p_outcome jsonb) returns boolean
language sql
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(bool_and(mill.settle_by_name(p_id, j.worker, p_outcome)), false)
  from mill.job_live j
  where j.id = p_id and j.state = 'processing' and j.lease_losses = 0 and j.queue ~ '^refresh(-|$)'
$$;

comment on function mill.settle_refresh_by_id(uuid, jsonb) is 'Settles a running refresh that has only ever had one worker; false otherwise.';
revoke execute on function mill.settle_refresh_by_id(uuid, jsonb) from public;
