create or replace function public.fail_queue_job(p_job_id uuid, p_error_message text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  perform mill.settle_compat_lease(p_job_id, jsonb_build_object(
    'outcome', 'failed', 'error', jsonb_build_object('type', 'error', 'message', p_error_message, 'retryable', true)), '^refresh(-|$)');
end
$$;

comment on function public.fail_queue_job(uuid, text) is 'Fails an attempt of a refresh that get_queue_batch gave out; three retries follow. Nothing happens when no such lease runs.';
revoke execute on function public.fail_queue_job(uuid, text) from public, anon, authenticated;
grant execute on function public.fail_queue_job(uuid, text) to service_role;
