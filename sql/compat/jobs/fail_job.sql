-- p_error_details may carry type, retryable, http_status and provider; "retryable": false dead-letters at once.
create or replace function public.fail_job(p_job_id uuid, p_worker_id text, p_error_message text, p_error_details jsonb default null) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.settle_by_name(p_job_id, p_worker_id, jsonb_build_object('outcome', 'failed', 'error',
    coalesce(p_error_details, '{}') || jsonb_build_object('type', coalesce(p_error_details ->> 'type', 'error'), 'message', p_error_message)))
$$;

comment on function public.fail_job(uuid, text, text, jsonb) is 'Fails an attempt of a job that the worker holds; it is retried or dead-lettered. False when the lease is lost.';
revoke execute on function public.fail_job(uuid, text, text, jsonb) from public, anon, authenticated;
grant execute on function public.fail_job(uuid, text, text, jsonb) to service_role;
