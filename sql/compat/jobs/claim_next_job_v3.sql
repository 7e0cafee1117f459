-- Without types a worker gets every type of the older system's job queue, and those that the operator has added to
-- mill.kind. Refreshes, exports and tasks have compat claims of their own, and alerts are sent by our own functions alone.
create or replace function public.claim_next_job_v3(worker_id text, job_types text[] default null, heartbeat_interval_seconds int default null)
returns table (job_id uuid, job_type text, job_payload jsonb, retry_count int)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_types text[] := coalesce(job_types, array(
    select k.kind from mill.kind k where k.part is null or k.part in ('engine', 'compat') or k.kind ~ '^(fast|ai)_queue_'));
  v_interval numeric := mill.worker_interval_seconds(heartbeat_interval_seconds);
  v_job record;
begin
  select c.* into v_job
  from mill.claim(
    worker_id,
    array(select distinct k.queue from mill.kind k where k.kind = any (v_types)),
    1,
    v_types) c;
  if found then
    perform mill.note_compat_leases(array[v_job.id], mill.worker_lease_seconds(v_interval), v_interval);
    return query select v_job.id, v_job.kind, v_job.payload, v_job.attempt - 1;
  end if;
end
$$;

comment on function public.claim_next_job_v3(text, text[], int) is 'Leases the next due job of the types, or of any, to a worker; no row when there is none.';
revoke execute on function public.claim_next_job_v3(text, text[], int) from public, anon, authenticated;
grant execute on function public.claim_next_job_v3(text, text[], int) to service_role;
