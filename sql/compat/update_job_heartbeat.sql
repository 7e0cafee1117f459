create or replace function public.update_job_heartbeat(p_job_id uuid, p_worker_id text) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.heartbeat_by_name(p_job_id, p_worker_id, mill.worker_lease_seconds())
$$;

comment on function public.update_job_heartbeat(uuid, text) is 'Extends the worker''s lease on a job; false when it is lost or the job was cancelled, and the worker must stop.';
revoke execute on function public.update_job_heartbeat(uuid, text) from public, anon, authenticated;
grant execute on function public.update_job_heartbeat(uuid, text) to service_role;
