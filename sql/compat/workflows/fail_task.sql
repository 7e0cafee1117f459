-- The task is tried again after the backoff of its queue, until its attempts are used up.
create or replace function public.fail_task(p_task_id uuid, p_worker_id text, p_error text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not mill.settle_by_name(p_task_id, p_worker_id,
    jsonb_build_object('outcome', 'failed', 'error', jsonb_build_object('type', 'error', 'message', coalesce(p_error, ''))))
  then
    return false;
  end if;
  delete from mill.task_claim c where c.id = p_task_id;
  return true;
end
$$;

comment on function public.fail_task(uuid, text, text) is
  'Fails an attempt of a task that the worker holds: tried again after a delay, or given up. False when the lease is lost.';
revoke execute on function public.fail_task(uuid, text, text) from public, anon, authenticated;
grant execute on function public.fail_task(uuid, text, text) to service_role;
