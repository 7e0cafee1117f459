create or replace function public.reclaim_stale_tasks() returns int
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.reclaim()
$$;

comment on function public.reclaim_stale_tasks() is 'Takes back expired leases, of tasks and of other jobs; says how many. The pump does so every few seconds.';
revoke execute on function public.reclaim_stale_tasks() from public, anon, authenticated;
grant execute on function public.reclaim_stale_tasks() to service_role;
