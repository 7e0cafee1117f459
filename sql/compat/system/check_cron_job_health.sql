-- Both parameters mean the same: programs and their SQL do not agree on the name.
create or replace function public.check_cron_job_health(p_critical_jobs text[] default null, critical_jobs text[] default null)
returns table (jobname text, last_run timestamptz)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select w.name, h.at
  from (
    select unnest(coalesce(p_critical_jobs, critical_jobs)) as name
    union
    select s.name from mill.schedule s where coalesce(p_critical_jobs, critical_jobs) is null and s.is_critical) w
  left join (mill.schedule s join mill.heartbeat h on h.part = s.name) on s.name = w.name
  order by 1
$$;

comment on function public.check_cron_job_health(text[], text[]) is
  'When each of the named cron jobs, or each critical one, last succeeded; null for one that never did and for one that does not exist.';
revoke execute on function public.check_cron_job_health(text[], text[]) from public, anon, authenticated;
grant execute on function public.check_cron_job_health(text[], text[]) to service_role;
