-- The older system audits each enqueue and each completion; batches by enqueue_jobs and settle_jobs are not audited one by one.
create or replace function public.enqueue_job_v3(
  job_type text,
  job_name text,
  job_payload jsonb,
  job_category text default 'standard',
  priority int default 5,
  scheduled_at timestamptz default now())
returns uuid
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_payload jsonb := case
    when jsonb_typeof(job_payload) = 'object' and job_payload <> '{}'
      then '{"estimated_tokens": 1000}'::jsonb || job_payload
    else job_payload
  end;
  v_job record;
begin
  perform mill.refuse_in_maintenance();
  select e.id, e.status into v_job
  from mill.enqueue(jsonb_build_array(jsonb_build_object(
    'kind', job_type, 'name', job_name, 'payload', v_payload, 'category', job_category, 'priority', priority,
    'run_at', coalesce(scheduled_at, now()) + mill.backpressure_delay(job_type)))) e;
  if v_job.status = 'throttled' then
    raise exception 'the queue of "%" is full', job_type using errcode = 'GM006', hint = 'Try again later.';
  end if;
  perform mill.audit_jobs(array[v_job.id], 'enqueue', null, 'job_queue');
  return v_job.id;
end
$$;

comment on function public.enqueue_job_v3(text, text, jsonb, text, int, timestamptz) is
  'Enqueues one job of an allowed type; answers its id.';
revoke execute on function public.enqueue_job_v3(text, text, jsonb, text, int, timestamptz) from public, anon, authenticated;
grant execute on function public.enqueue_job_v3(text, text, jsonb, text, int, timestamptz) to service_role;
