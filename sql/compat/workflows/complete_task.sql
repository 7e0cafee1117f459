create or replace function public.complete_task(p_task_id uuid, p_worker_id text, p_output jsonb) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not mill.settle_by_name(p_task_id, p_worker_id, jsonb_build_object('outcome', 'completed', 'result', p_output)) then
    return false;
  end if;
  delete from mill.task_claim c where c.id = p_task_id;
  return true;
end
$$;

comment on function public.complete_task(uuid, text, jsonb) is
  'Completes a task that the worker holds and starts what waited for it; false when the lease is lost, and then nothing has changed.';
revoke execute on function public.complete_task(uuid, text, jsonb) from public, anon, authenticated;
grant execute on function public.complete_task(uuid, text, jsonb) to service_role;
