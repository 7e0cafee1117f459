create or replace function public.list_schedules(p_schedule text default null) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(mill.schedule_row(s) order by s.schedule), '[]') from mill.job_schedule s where p_schedule is null or s.schedule = p_schedule
$$;

comment on function public.list_schedules(text) is 'All schedules, or one: definition, next due time, last run.';
revoke execute on function public.list_schedules(text) from public, anon, authenticated;
grant execute on function public.list_schedules(text) to service_role;
