create or replace function public.complete_job(p_job_id uuid, p_worker_id text, p_job_result jsonb default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not mill.settle_by_name(p_job_id, p_worker_id, jsonb_build_object('outcome', 'completed')
    || case when p_job_result is null then '{}' else jsonb_build_object('result', p_job_result) end) then
    return false;
  end if;
  perform mill.audit_jobs(array[p_job_id], 'complete', null, 'job_queue');
  return true;
end
$$;

comment on function public.complete_job(uuid, text, jsonb) is 'Completes a job that the worker holds; false when the lease is lost, and then nothing has changed.';
revoke execute on function public.complete_job(uuid, text, jsonb) from public, anon, authenticated;
grant execute on function public.complete_job(uuid, text, jsonb) to service_role;
