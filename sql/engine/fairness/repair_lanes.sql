-- Lanes are hints: a job may commit into a lane that a claim has just marked idle. This walks the lanes that do
-- have pending jobs, one index probe each, opens those that were idle and closes those that are empty.
--
-- A claim calls it and must not wait, so it skips locked lanes and makes none; the tick lets it make those that are
-- missing, which only happens when maintenance pruned a lane at the very moment of an enqueue.
create or replace function mill.repair_lanes(p_queue text, p_may_make boolean) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_busy text[];
  v_opened int;
begin
  with recursive busy(lane) as (
    (select j.lane from mill.job_live j
     where j.queue = p_queue and not j.waits and j.state = 'pending' and j.lane is not null
     order by j.lane limit 1)
    union all
    select (select j.lane from mill.job_live j
            where j.queue = p_queue and not j.waits and j.state = 'pending' and j.lane is not null and j.lane > b.lane
            order by j.lane limit 1)
    from busy b where b.lane is not null
  )
  select coalesce(array_agg(b.lane) filter (where b.lane is not null), '{}') into v_busy from busy b;

  update mill.lane l set idle = not l.idle
  where l.queue = p_queue and l.lane in (
    select o.lane from mill.lane o
    where o.queue = p_queue and o.idle = (o.lane = any (v_busy))
    for no key update skip locked);
  get diagnostics v_opened = row_count;

  if p_may_make then
    perform mill.open_lane(p_queue, mill.tenant_of(j.owner, j.group_key), b.lane,
      case when q.max_running_per_group is not null then j.group_key end)
    from unnest(v_busy) as b(lane)
    join mill.queue q on q.queue = p_queue
    cross join lateral (
      select j.owner, j.group_key from mill.job_live j
      where j.queue = p_queue and j.lane = b.lane and not j.waits and j.state = 'pending' limit 1) j
    where not exists (select from mill.lane l where l.queue = p_queue and l.lane = b.lane);
  end if;
  return v_opened;
end
$$;

comment on function mill.repair_lanes(text, boolean) is 'Opens lanes that have pending jobs and closes those that have none; says how many changed.';
revoke execute on function mill.repair_lanes(text, boolean) from public;
