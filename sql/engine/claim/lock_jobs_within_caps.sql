-- The way of queues that are capped or fair: one claim at a time, so that caps hold exactly. The lock is held
-- until the claim commits; only then is its count visible to the next. Other queues pay nothing for this.
--
-- The lock's class number is any constant that only this uses; a collision of two queues' hashes costs time,
-- never correctness.
create or replace function mill.lock_jobs_within_caps(p_queue mill.queue, p_max int, p_kinds text[], p_waits boolean) returns tid[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_max int := p_max;
  v_lock constant int := 702231;
begin
  if p_waits then
    perform pg_advisory_xact_lock(v_lock, hashtext(p_queue.queue));
  elsif not pg_try_advisory_xact_lock(v_lock, hashtext(p_queue.queue)) then
    return '{}'::tid[];
  end if;

  if p_queue.max_running is not null then
    v_max := least(p_max, p_queue.max_running - (
      select count(*)::int from mill.job_live j where j.slot = p_queue.queue));
    if v_max <= 0 then
      return '{}'::tid[];
    end if;
  end if;
  if p_queue.max_running_per_group is null and p_queue.dequeue = 'priority' then
    return mill.lock_jobs_by_priority(p_queue.queue, v_max, p_kinds);
  end if;
  return mill.lock_jobs_in_turn(p_queue, v_max, p_kinds);
end
$$;

comment on function mill.lock_jobs_within_caps(mill.queue, int, text[], boolean) is
  'Locks due jobs of a capped or fair queue within its caps. Waits for the queue''s other claims, or gives nothing if it may not wait.';
revoke execute on function mill.lock_jobs_within_caps(mill.queue, int, text[], boolean) from public;
