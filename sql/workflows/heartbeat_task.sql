create or replace function public.heartbeat_task(p_task_id uuid, p_worker_id text, p_progress int default null) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(bool_and(h.status = 'held'), false)
  from (select j.attempt from mill.job_live j where j.id = p_task_id and j.worker = p_worker_id) j
  cross join lateral mill.heartbeat(p_worker_id, jsonb_build_array(
    jsonb_build_object('id', p_task_id, 'attempt', j.attempt, 'progress', p_progress))) h
$$;

comment on function public.heartbeat_task(uuid, text, int) is
  'Extends the worker''s lease on a task; false when it is lost or the task was cancelled, and the worker must stop.';
revoke execute on function public.heartbeat_task(uuid, text, int) from public, anon, authenticated;
grant execute on function public.heartbeat_task(uuid, text, int) to service_role;
