create or replace function mill.prune(p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  with gone as (
    delete from mill.job_done_default j
    where j.finished_at < p_now - make_interval(
      days => coalesce((select q.retention_days from mill.queue q where q.queue = j.queue), 7))
    returning j.id
  ),
  logs as (
    delete from mill.job_log l using gone g where l.job = g.id
  ),
  steps as (
    delete from mill.job_step s using gone g where s.job = g.id
  )
  delete from mill.job_event e using gone g where e.job = g.id;
  delete from mill.invocation i where i.asked_at < p_now - interval '1 day';
  delete from mill.event e where e.at < p_now - interval '30 days';
  delete from mill.stat_minute s where s.minute < p_now - interval '30 days';
  delete from mill.breaker_change c where c.at < p_now - interval '90 days';
  delete from mill.job_schedule_run r using (
    select s.schedule, (select o.due from mill.job_schedule_run o where o.schedule = s.schedule order by o.due desc offset 99 limit 1) as due
    from mill.job_schedule s) k
  where r.schedule = k.schedule and r.due < k.due and r.at < p_now - interval '30 days';
  delete from mill.user_rate r where (r.owner, r.thing) in (
    select o.owner, o.thing from mill.user_rate o where o.at < p_now - interval '1 hour' for update skip locked);

  -- Lanes that nobody stands in, and tenants without a lane. An enqueue that is opening one holds its row.
  delete from mill.lane l where (l.queue, l.lane) in (
    select o.queue, o.lane from mill.lane o
    where o.idle and not exists (select from mill.job_live j where j.queue = o.queue and j.lane = o.lane)
    for update skip locked);
  delete from mill.tenant t where (t.queue, t.tenant) in (
    select o.queue, o.tenant from mill.tenant o
    where not exists (select from mill.lane l where l.queue = o.queue and l.tenant = o.tenant)
    for update skip locked);
end
$$;

comment on function mill.prune(timestamptz) is 'Deletes what is past its time outside of the day partitions.';
revoke execute on function mill.prune(timestamptz) from public;
