create or replace function public.get_queue_batch(batch_size int)
returns table (id uuid, symbol text, data_type text, priority int, estimated_data_size_bytes bigint, retry_count int)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease_seconds constant int := 300;
  v_jobs jsonb;
begin
  perform mill.require_primary();
  v_jobs := mill.claim_refresh('batch-' || mill.uuid7(), 'refresh', batch_size, null);
  perform mill.note_compat_leases(array(select (j ->> 'id')::uuid from jsonb_array_elements(v_jobs) j), v_lease_seconds);
  return query
  select j.id, j.payload ->> 'symbol', j.payload ->> 'data_type', j.priority, (j.payload ->> 'estimated_size')::bigint, j.attempt - 1
  from jsonb_array_elements(v_jobs) c
  join mill.job_live j on j.id = (c ->> 'id')::uuid;
end
$$;

comment on function public.get_queue_batch(int) is 'Leases due refreshes for five minutes, highest priority first.';
revoke execute on function public.get_queue_batch(int) from public, anon, authenticated;
grant execute on function public.get_queue_batch(int) to service_role;
