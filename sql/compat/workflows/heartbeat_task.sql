create or replace function public.heartbeat_task(p_task_id uuid, p_worker_id text, p_progress int default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not mill.heartbeat_by_name(p_task_id, p_worker_id, 300, p_progress) then
    return false;
  end if;
  update mill.task_claim c set heartbeat_at = mill.now() where c.id = p_task_id;
  return true;
end
$$;

comment on function public.heartbeat_task(uuid, text, int) is
  'Extends the worker''s lease on a task; false when it is lost or the task was cancelled, and the worker must stop.';
revoke execute on function public.heartbeat_task(uuid, text, int) from public, anon, authenticated;
grant execute on function public.heartbeat_task(uuid, text, int) to service_role;
