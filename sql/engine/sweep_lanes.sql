-- Lanes are hints: a job may commit into a lane that a claim has just marked idle. This walks the lanes that do
-- have pending jobs, one index probe each, opens those that were idle and closes those that are empty.
create or replace function mill.sweep_lanes(p_queue text) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_opened int;
begin
  with recursive busy(lane) as (
    (select j.lane from mill.job_live j
     where j.queue = p_queue and j.state = 'pending' and j.lane is not null
     order by j.lane limit 1)
    union all
    select (select j.lane from mill.job_live j
            where j.queue = p_queue and j.state = 'pending' and j.lane is not null and j.lane > b.lane
            order by j.lane limit 1)
    from busy b where b.lane is not null
  ),
  closed as (
    update mill.lane l set idle = true
    where l.queue = p_queue and l.lane in (
      select o.lane from mill.lane o
      where o.queue = p_queue and not o.idle and not exists (select from busy b where b.lane = o.lane)
      for no key update skip locked)
  )
  select count(mill.open_lane(p_queue, w.tenant, w.lane, w.group_key)) into v_opened
  from (
    select b.lane, mill.tenant_of(j.owner, j.group_key) as tenant,
      case when q.max_running_per_group is not null then j.group_key end as group_key
    from busy b
    join mill.queue q on q.queue = p_queue
    cross join lateral (
      select j.owner, j.group_key from mill.job_live j
      where j.queue = p_queue and j.lane = b.lane and j.state = 'pending' limit 1) j
    where not exists (select from mill.lane l where l.queue = p_queue and l.lane = b.lane and not l.idle)
  ) w;
  return v_opened;
end
$$;

comment on function mill.sweep_lanes(text) is 'Opens lanes that have pending jobs and closes those that have none; says how many were opened.';
revoke execute on function mill.sweep_lanes(text) from public;
