create or replace function public.update_job_heartbeat(p_job_id uuid, p_worker_id text, heartbeat_interval_seconds int default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_interval numeric := mill.worker_interval_seconds(heartbeat_interval_seconds);
begin
  return mill.heartbeat_by_name(p_job_id, p_worker_id, mill.worker_lease_seconds(v_interval), p_heartbeat_seconds => v_interval);
end
$$;

comment on function public.update_job_heartbeat(uuid, text, int) is 'Extends the worker''s lease on a job; false when it is lost or the job was cancelled, and the worker must stop.';
revoke execute on function public.update_job_heartbeat(uuid, text, int) from public, anon, authenticated;
grant execute on function public.update_job_heartbeat(uuid, text, int) to service_role;
