create or replace function public.cancel_jobs(p_ids uuid[]) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(to_jsonb(c)), '[]') from mill.cancel(p_ids) c
$$;

comment on function public.cancel_jobs(uuid[]) is 'Cancels jobs; cancelled, requested or not_live for each.';
revoke execute on function public.cancel_jobs(uuid[]) from public, anon, authenticated;
grant execute on function public.cancel_jobs(uuid[]) to service_role;
