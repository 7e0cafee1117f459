create or replace function public.cron_report() returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'last_run', c.last_run_at, 'is_late', c.reason is not null) order by c.name), '[]')
  from mill.cron_health() c where c.is_critical
$$;

comment on function public.cron_report() is 'The critical schedules as an array of {name, last_run, is_late}.';
revoke execute on function public.cron_report() from public, anon, authenticated;
grant execute on function public.cron_report() to service_role;
