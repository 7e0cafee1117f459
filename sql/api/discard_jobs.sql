create or replace function public.discard_jobs(p_ids uuid[]) returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(to_jsonb(d)), '[]') from mill.discard(p_ids) d
$$;

comment on function public.discard_jobs(uuid[]) is 'Deletes dead letters; discarded or not_dead for each.';
revoke execute on function public.discard_jobs(uuid[]) from public, anon, authenticated;
grant execute on function public.discard_jobs(uuid[]) to service_role;
