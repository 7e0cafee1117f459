create or replace function public.check_cron_job_health(
  p_critical_jobs text[] default array['check-stale-data', 'scheduled-refreshes', 'process-queue-batch', 'subscription-cleanup', 'queue-partitions'])
returns table (jobname text, is_healthy boolean, last_status text, last_run_at timestamptz, problem text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('cron.job') is null or to_regclass('cron.job_run_details') is null then
    return query select n, false, null::text, null::timestamptz, 'there is no cron here' from unnest(p_critical_jobs) n;
    return;
  end if;
  -- Not planned before there is a cron schema.
  return query execute $query$
    select w.name, coalesce(p.problem is null, false), r.status, r.start_time, p.problem
    from unnest($1) with ordinality w(name, at)
    left join cron.job j on j.jobname = w.name
    left join lateral (
      select d.status, d.start_time from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1) r on true
    cross join lateral (
      select case
        when j.jobid is null then 'is not scheduled'
        when not j.active then 'is switched off'
        when r.status = 'failed' then 'failed when it last ran'
        when j.schedule = '* * * * *' and r.start_time < now() - interval '5 minutes' then 'has not run for 5 minutes'
      end as problem) p
    order by w.at
  $query$ using p_critical_jobs;
end
$$;

comment on function public.check_cron_job_health(text[]) is 'Whether the named cron jobs are scheduled, switched on and running.';
revoke execute on function public.check_cron_job_health(text[]) from public, anon, authenticated;
grant execute on function public.check_cron_job_health(text[]) to service_role;
