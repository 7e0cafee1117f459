create or replace function public.update_job_heartbeat(p_job_id uuid, p_worker_id text) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(bool_and(h.status = 'held'), false)
  from (select j.attempt from mill.job_live j where j.id = p_job_id and j.worker = p_worker_id) j
  cross join lateral mill.heartbeat(p_worker_id, jsonb_build_array(jsonb_build_object('id', p_job_id, 'attempt', j.attempt))) h
$$;

comment on function public.update_job_heartbeat(uuid, text) is 'Extends the worker''s lease on a job; false when it is lost or the job was cancelled, and the worker must stop.';
revoke execute on function public.update_job_heartbeat(uuid, text) from public, anon, authenticated;
grant execute on function public.update_job_heartbeat(uuid, text) to service_role;
