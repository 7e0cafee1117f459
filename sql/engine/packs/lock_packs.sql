-- Locks the first packs of a queue that fit into p_max jobs as they are. A pack holds no more than a batch of its queue, so these are
-- found in one look, unless they are small. Rows that stand between two of them are taken by the next claim.
create or replace function mill.lock_packs(p_queue mill.queue, p_max int, p_kinds text[]) returns tid[]
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return array(
    select p.ctid
    from (
      select p.ctid, sum(p.jobs) over (rows unbounded preceding) as jobs
      from (
        select p.ctid, p.jobs
        from (select f.line, f.turn from mill.floor f where f.queue = p_queue.queue order by f.priority desc) f
        cross join lateral (
          select p.ctid, p.jobs from mill.pack p
          where p.line = f.line and p.turn >= f.turn and (p_kinds is null or p.kind = any (p_kinds)) and p.jobs <= p_max
          order by p.turn
          limit greatest(1, p_max / least(p_queue.batch_size, 100))
          for update skip locked) p
        limit greatest(1, p_max / least(p_queue.batch_size, 100))) p) p
    where p.jobs <= p_max);
end
$$;

comment on function mill.lock_packs(mill.queue, int, text[]) is 'Locks packs of due jobs, the oldest first and no more jobs than asked for, and says where they are.';
revoke execute on function mill.lock_packs(mill.queue, int, text[]) from public;
