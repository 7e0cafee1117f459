-- p_error is a sentence, or an object with type, message and retryable; "retryable": false gives up at once. Otherwise
-- the task is tried again after the backoff of its queue.
create or replace function public.fail_task(p_task_id uuid, p_worker_id text, p_error jsonb) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.settle_by_name(p_task_id, p_worker_id, jsonb_build_object('outcome', 'failed', 'error',
    jsonb_build_object('type', 'error', 'message', '') ||
    case jsonb_typeof(p_error) when 'object' then p_error else jsonb_build_object('message', p_error #>> '{}') end))
$$;

comment on function public.fail_task(uuid, text, jsonb) is
  'Fails an attempt of a task that the worker holds: tried again after a delay, or given up. False when the lease is lost.';
revoke execute on function public.fail_task(uuid, text, jsonb) from public, anon, authenticated;
grant execute on function public.fail_task(uuid, text, jsonb) to service_role;
