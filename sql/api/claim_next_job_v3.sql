create or replace function public.claim_next_job_v3(worker_id text, job_types text[])
returns table (job_id uuid, job_type text, job_payload jsonb, retry_count int)
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select c.id, c.kind, c.payload, c.attempt - 1
  from mill.claim(
    worker_id,
    array(select distinct k.queue from mill.kind k where k.kind = any (job_types)),
    1,
    job_types) c
$$;

comment on function public.claim_next_job_v3(text, text[]) is 'Leases the next due job of the types to a worker; no row when there is none.';
revoke execute on function public.claim_next_job_v3(text, text[]) from public, anon, authenticated;
grant execute on function public.claim_next_job_v3(text, text[]) to service_role;
