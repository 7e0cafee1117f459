-- Makes sure that claims of fair and group-capped queues look at the lanes of a batch. A claim that finds a lane
-- still empty may mark it idle before the jobs commit, and mill.repair_lanes repairs it.
-- Lock order: by queue, tenant and lane.
create or replace function mill.open_lanes(p_jobs jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.open_lane(w.queue, w.tenant, w.lane, w.group_key)
  from (
    select distinct q.queue, mill.tenant_of(a.owner, a.group_key) as tenant,
      mill.lane_of(q.dequeue, q.max_running_per_group, a.owner, a.group_key) as lane,
      case when q.max_running_per_group is not null then a.group_key end as group_key
    from jsonb_to_recordset(p_jobs) as a(kind text, owner uuid, group_key text)
    join mill.kind k on k.kind = a.kind
    join mill.queue q on q.queue = k.queue and (q.dequeue = 'fair' or q.max_running_per_group is not null)
    order by 1, 2, 3
  ) w
  where not exists (select from mill.lane l where l.queue = w.queue and l.lane = w.lane and not l.idle);
end
$$;

comment on function mill.open_lanes(jsonb) is 'Opens the lanes that a batch of jobs will stand in.';
revoke execute on function mill.open_lanes(jsonb) from public;
