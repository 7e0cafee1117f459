create or replace function public.enqueue_jobs(p_jobs jsonb) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(to_jsonb(e)), '[]') from mill.enqueue(p_jobs) e
$$;

comment on function public.enqueue_jobs(jsonb) is 'Enqueues many jobs; new, duplicate or throttled for each.';
revoke execute on function public.enqueue_jobs(jsonb) from public, anon, authenticated;
grant execute on function public.enqueue_jobs(jsonb) to service_role;
