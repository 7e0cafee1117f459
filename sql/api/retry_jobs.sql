create or replace function public.retry_jobs(p_ids uuid[]) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(to_jsonb(r)), '[]') from mill.retry(p_ids) r
$$;

comment on function public.retry_jobs(uuid[]) is 'Sends dead letters back to pending; retried, duplicate, unknown_kind or not_dead for each.';
revoke execute on function public.retry_jobs(uuid[]) from public, anon, authenticated;
grant execute on function public.retry_jobs(uuid[]) to service_role;
