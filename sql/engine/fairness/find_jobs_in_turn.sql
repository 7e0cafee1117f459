-- The jobs whose turn it is, at most p_share a lane and never more of a group than its cap leaves.
--
-- Fair: the order is virtual time. A tenant's nth next job has the time served + n; those with the least go
-- first, so a tenant with a million jobs and one with ten alternate, and many lanes of one tenant count as one.
-- By priority: highest priority, then oldest, over all lanes whose group is below its cap.
-- Where a function serves the queue, the jobs of one user are in half of its invocations at the most: slow jobs could fill them all, and
-- everybody else's would wait until the slow ones end. What the service enqueues for nobody is not bounded.
-- Beyond a thousand lanes the least served thousand are considered.
create or replace function mill.find_jobs_in_turn(p_queue mill.queue, p_max int, p_kinds text[], p_share int) returns tid[]
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  with running as materialized (
    select j.group_key, count(*)::int as jobs
    from mill.job_live j
    where p_queue.max_running_per_group is not null and j.slot = p_queue.queue and j.group_key is not null
    group by j.group_key
  ),
  spread as materialized (
    select j.owner
    from mill.job_live j
    where p_queue.dequeue = 'fair' and p_queue.served_by = 'function' and j.slot = p_queue.queue and j.owner is not null
    group by j.owner
    having count(distinct j.worker) >= greatest(p_queue.max_parallel / 2, 1)
  ),
  front as materialized (
    select l.lane, l.tenant, l.group_key, greatest(t.served, c.served) as served,
      case when l.group_key is null then p_max else p_queue.max_running_per_group - coalesce(r.jobs, 0) end as capacity
    from mill.lane l
    join mill.tenant t on t.queue = l.queue and t.tenant = l.tenant
    left join mill.virtual_clock c on c.queue = l.queue -- idling earns no credit
    left join running r on r.group_key = l.group_key
    where l.queue = p_queue.queue and not l.idle
      and (l.group_key is null or coalesce(r.jobs, 0) < p_queue.max_running_per_group)
      and l.tenant not in (select mill.tenant_of(s.owner, null) from spread s)
    order by 4, l.lane
    limit 1000
  ),
  candidate as (
    select j.ctid, f.tenant, f.group_key, f.served, f.capacity, j.priority, j.turn
    from front f
    cross join lateral (
      select j.ctid, j.priority, j.turn from mill.job_live j
      where j.queue = p_queue.queue and j.lane = f.lane and not j.waits and j.state = 'pending'
        and (p_kinds is null or j.kind = any (p_kinds))
      order by j.priority desc, j.turn
      limit least(p_share, f.capacity)) j
  ),
  allowed as (
    -- Lanes of several tenants may belong to one group: the cap is the group's.
    select c.*, row_number() over (partition by c.group_key order by c.served, c.priority desc, c.turn) as nth_of_group
    from candidate c
  ),
  ordered as (
    select a.ctid, a.priority, a.turn,
      case when p_queue.dequeue = 'fair' then
        a.served + row_number() over (partition by a.tenant order by a.priority desc, a.turn) end as virtual_time
    from allowed a
    where a.group_key is null or a.nth_of_group <= a.capacity
  )
  select array(select o.ctid from ordered o order by o.virtual_time, o.priority desc, o.turn limit p_max)
$$;

comment on function mill.find_jobs_in_turn(mill.queue, int, text[], int) is 'Where the jobs are whose turn it is, not yet locked.';
revoke execute on function mill.find_jobs_in_turn(mill.queue, int, text[], int) from public;
