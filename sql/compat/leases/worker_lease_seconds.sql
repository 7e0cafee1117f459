-- heartbeat_at of a compat worker is due after the interval, and the worker counts as lost after the timeout beyond that.
create or replace function mill.worker_lease_seconds(p_interval numeric) returns numeric
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select p_interval + greatest(mill.setting('worker.timeout_seconds', '300')::numeric, 0)
$$;

comment on function mill.worker_lease_seconds(numeric) is 'How long claim_next_job_v3 and update_job_heartbeat lease a job whose next heartbeat is due after the interval.';
revoke execute on function mill.worker_lease_seconds(numeric) from public;
