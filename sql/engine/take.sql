-- Locks the first p_max pending jobs of a queue along job_live_ready, each priority from its floor on.
--
-- Where the line is short, what has become due is promoted and what lies below the floor is looked for, so
-- that an idle queue answers at once; a busy one does both every 300 ms, in mill.sweep. Locked no more than a claim's
-- update needs: a task that mill.can_wait holds until its commit may be claimed.
--
-- A row that somebody has touched since it was written (xmax) is passed over, most likely another claim has it. SKIP LOCKED alone
-- would lock it first where that claim has just committed, find it running, and keep the lock: its worker's settlement
-- waited for that. Whoever comes up short, and one claim in 300 ms, looks at those rows too: they may have been touched in vain.
create or replace function mill.take(p_queue text, p_max int, p_kinds text[]) returns tid[]
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_rows tid[];
  v_looks_at_all boolean := exists (select from mill.floor f where f.queue = p_queue and f.advance_at <= clock_timestamp());
begin
  for v_try in 1 .. 2 loop
    v_rows := array(
      select j.ctid
      from (select f.line, f.turn from mill.floor f where f.queue = p_queue order by f.priority desc) f
      cross join lateral (
        select j.ctid from mill.job_live j
        where j.line = f.line and j.turn >= f.turn and not j.waits and j.state = 'pending'
          and (p_kinds is null or j.kind = any (p_kinds))
          and (v_looks_at_all or j.xmax = '0'::xid)
        order by j.turn
        limit p_max
        for no key update skip locked) j
      limit p_max);
    exit when v_try = 2 or cardinality(v_rows) = p_max;
    -- Both run, whatever the first finds. The second try finds the rows of the first again: they are ours.
    exit when mill.promote(100) + mill.look_below(p_queue) = 0 and v_looks_at_all;
    v_looks_at_all := true;
  end loop;

  return v_rows;
end
$$;

comment on function mill.take(text, int, text[]) is 'Locks due jobs of a queue, highest priority then oldest, and says where they are.';
revoke execute on function mill.take(text, int, text[]) from public;
