-- heartbeat_at of a documented worker is due after the interval, and the worker counts as lost after the timeout beyond that.
create or replace function mill.worker_lease_seconds() returns numeric
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select mill.setting('worker.heartbeat_interval_seconds', '30')::numeric + mill.setting('worker.timeout_seconds', '300')::numeric
$$;

comment on function mill.worker_lease_seconds() is 'How long claim_next_job_v3 and update_job_heartbeat lease a job.';
revoke execute on function mill.worker_lease_seconds() from public;
