create or replace function public.schedule_runs(p_schedule text, p_max int default 50) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(to_jsonb(r) - 'schedule' || jsonb_build_object('state', j.state) order by r.due desc), '[]')
  from (
    select r.* from mill.job_schedule_run r where r.schedule = p_schedule order by r.due desc limit least(greatest(p_max, 0), 1000)) r
  left join mill.job j on j.id = r.job
$$;

comment on function public.schedule_runs(text, int) is 'What became of the last due times of a schedule, newest first, with the state of their jobs.';
revoke execute on function public.schedule_runs(text, int) from public, anon, authenticated;
grant execute on function public.schedule_runs(text, int) to service_role;
