create or replace function public.heartbeat_task(p_task_id uuid, p_worker_id text, p_progress int default null) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.heartbeat_by_name(p_task_id, p_worker_id, 300, p_progress)
$$;

comment on function public.heartbeat_task(uuid, text, int) is
  'Extends the worker''s lease on a task; false when it is lost or the task was cancelled, and the worker must stop.';
revoke execute on function public.heartbeat_task(uuid, text, int) from public, anon, authenticated;
grant execute on function public.heartbeat_task(uuid, text, int) to service_role;
