-- Puts the waiting jobs of a queue into the lanes that its options ask for now. Runs when an operator changes
-- the options, and once a minute for what was enqueued at that very moment.
create or replace function mill.reassign_lanes(p_queue text) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_mergejoin = off -- what was found is looked up by id: merged with all ids, a held snapshot made it take seconds
set enable_hashjoin = off
set jit = off
as $$
declare
  v_strays uuid[];
  v_moved int;
begin
  perform mill.unpack(array(
    select p.ctid from mill.line l
    cross join lateral (select p.ctid from mill.pack p where p.line = l.line for update skip locked) p
    where l.queue = p_queue));
  -- Along the two indexes of what waits: a look at all live jobs, once a minute, would cost every other queue. Line by line:
  -- a join could be planned as a walk over the whole index.
  v_strays := array(
    select j.id
    from mill.queue q join mill.line l on l.queue = q.queue
    cross join lateral (
      select j.id, j.lane, j.owner, j.group_key from mill.job_live j
      where j.line = l.line and j.turn is not null and not j.waits and j.state = 'pending'
      offset 0) j
    where q.queue = p_queue
      and j.lane is distinct from mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key)
    union all
    select j.id from mill.job_live j join mill.queue q using (queue)
    where j.queue = p_queue and j.waits
      and j.lane is distinct from mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key));
  with strays as (
    select j.id, mill.lane_of(q.dequeue, q.max_running_per_group, j.owner, j.group_key) as lane
    from mill.job_live j join mill.queue q using (queue)
    where j.id = any (v_strays) and j.state <> 'processing'
    order by j.id
    for update of j skip locked
  )
  update mill.job_live j set lane = s.lane from strays s where j.id = s.id;
  get diagnostics v_moved = row_count;
  if v_moved > 0 then
    delete from mill.lane l where l.queue = p_queue;
    perform mill.repair_lanes(p_queue, true);
  end if;
  return v_moved;
end
$$;

comment on function mill.reassign_lanes(text) is 'Moves waiting jobs into the lanes that their queue''s options ask for; says how many.';
revoke execute on function mill.reassign_lanes(text) from public;

create or replace function mill.reassign_lanes_on_change() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.reassign_lanes(new.queue);
  return null;
end
$$;

comment on function mill.reassign_lanes_on_change() is 'A queue that becomes fair or capped by group takes its waiting jobs along.';
revoke execute on function mill.reassign_lanes_on_change() from public, anon, authenticated;

drop trigger if exists reassign_lanes_on_change on mill.queue;
create trigger reassign_lanes_on_change after update of dequeue, max_running_per_group on mill.queue
for each row when (old.dequeue <> new.dequeue or old.max_running_per_group is distinct from new.max_running_per_group)
execute function mill.reassign_lanes_on_change();
