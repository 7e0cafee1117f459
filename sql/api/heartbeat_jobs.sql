create or replace function public.heartbeat_jobs(p_worker text, p_leases jsonb) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.worker_seen(p_worker);
  select coalesce(jsonb_agg(to_jsonb(h)), '[]') from mill.heartbeat(p_worker, p_leases) h;
$$;

comment on function public.heartbeat_jobs(text, jsonb) is 'Extends leases [{id, attempt, progress, logs}]; held, lost or cancelled for each.';
revoke execute on function public.heartbeat_jobs(text, jsonb) from public, anon, authenticated;
grant execute on function public.heartbeat_jobs(text, jsonb) to service_role;
