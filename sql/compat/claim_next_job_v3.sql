create or replace function public.claim_next_job_v3(worker_id text, job_types text[])
returns table (job_id uuid, job_type text, job_payload jsonb, retry_count int)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
begin
  select c.* into v_job
  from mill.claim(
    worker_id,
    array(select distinct k.queue from mill.kind k where k.kind = any (job_types)),
    1,
    job_types) c;
  if found then
    perform mill.note_compat_leases(array[v_job.id], mill.worker_lease_seconds());
    return query select v_job.id, v_job.kind, v_job.payload, v_job.attempt - 1;
  end if;
end
$$;

comment on function public.claim_next_job_v3(text, text[]) is 'Leases the next due job of the types to a worker; no row when there is none.';
revoke execute on function public.claim_next_job_v3(text, text[]) from public, anon, authenticated;
grant execute on function public.claim_next_job_v3(text, text[]) to service_role;
