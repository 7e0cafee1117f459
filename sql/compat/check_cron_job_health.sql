create or replace function public.check_cron_job_health(p_critical_jobs text[] default null)
returns table (jobname text, is_healthy boolean, last_run_at timestamptz, seconds_since_last_run numeric, limit_seconds int, problem text)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select w.name, c.name is not null and c.reason is null, c.last_run_at, c.age_seconds, c.limit_seconds,
    case when c.name is null then 'there is no such schedule' else c.reason end
  from (
    select unnest(p_critical_jobs) as name where p_critical_jobs is not null
    union all
    select s.name from mill.schedule s where p_critical_jobs is null and s.is_critical) w
  left join mill.cron_health() c on c.name = w.name
  order by 1
$$;

comment on function public.check_cron_job_health(text[]) is 'Whether each of the named cron jobs, or each critical one, ran within its interval and slack.';
revoke execute on function public.check_cron_job_health(text[]) from public, anon, authenticated;
grant execute on function public.check_cron_job_health(text[]) to service_role;
