-- Locks the first p_max pending jobs of a queue along job_live_ready, each priority from its floor on, as far as to the first pack
-- that nobody has. If they are too few, that pack is left to a caller who takes packs and has room for it; any other has it unpacked,
-- and takes from there.
--
-- Where the line is short, what has become due is promoted and what lies below the floor is looked for, so
-- that an idle queue answers at once; a busy one does both every 300 ms, in mill.raise_floors. Locked no more than a claim's
-- update needs: a task that mill.can_count_later holds until its commit may be claimed.
--
-- A row that somebody has touched of late (xmax) is passed over, most likely another claim has it. SKIP LOCKED alone
-- would lock it first where that claim has just committed, find it running, and keep the lock: its worker's settlement
-- waited for that; and see mill.running_transactions. Of late: in a transaction that may not have ended when this claim began. What was
-- touched before and is pending was touched in vain. To go by the oldest transaction costs nothing, but one that stays open makes
-- everything since look late: whoever comes up short, and one claim in 300 ms, asks which ones run.
create or replace function mill.lock_jobs_by_priority(p_queue text, p_max int, p_kinds text[], p_takes_packs boolean default false, p_waits boolean default false)
returns tid[]
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
  v_first record;
  v_pack record;
  v_late int := age(pg_snapshot_xmin(pg_current_snapshot())::xid);
  v_running xid[]; -- null while nobody asks
  v_asks boolean := exists (select from mill.floor f where f.queue = p_queue and f.advance_at <= clock_timestamp());
  v_was_short boolean := false;
  v_again boolean;
begin
  loop
    if v_asks then
      v_running := mill.running_transactions();
    end if;
    select f.priority, p.turn into v_first
    from (select f.line, f.turn, f.priority from mill.floor f where f.queue = p_queue order by f.priority desc) f
    cross join lateral (
      select p.turn from mill.pack p
      where p.line = f.line and p.turn >= f.turn and (p_kinds is null or p.kind = any (p_kinds)) and p.xmax = '0'::xid
      order by p.turn
      limit 1) p
    limit 1;

    v_rows := array(
      select j.ctid
      from (
        select f.line, f.turn, case when f.priority = v_first.priority then v_first.turn else 9223372036854775807 end as before
        from mill.floor f
        where f.queue = p_queue and f.priority >= coalesce(v_first.priority, -100)
        order by f.priority desc) f
      cross join lateral (
        select j.ctid from mill.job_live j
        where j.line = f.line and j.turn >= f.turn and j.turn < f.before and not j.waits and j.state = 'pending'
          and (p_kinds is null or j.kind = any (p_kinds))
          and (j.xmax = '0'::xid or age(j.xmax) > v_late or j.xmax <> all (v_running))
        order by j.turn
        limit p_max
        for no key update skip locked) j
      limit p_max);
    exit when cardinality(v_rows) = p_max;
    v_again := not v_asks;
    v_asks := true; -- whoever looks again finds its own rows by that, too

    -- Whichever is to be had: also one that was touched in vain.
    select p.ctid as place, p.jobs into v_pack
    from (select f.line, f.turn from mill.floor f where f.queue = p_queue order by f.priority desc) f
    cross join lateral (
      select p.ctid, p.jobs from mill.pack p
      where p.line = f.line and p.turn >= f.turn and (p_kinds is null or p.kind = any (p_kinds))
      order by p.turn
      limit 1
      for update skip locked) p
    limit 1;
    if found then
      exit when p_takes_packs and v_pack.jobs <= p_max - cardinality(v_rows);
      perform mill.unpack(array[v_pack.place]);
      continue;
    end if;

    continue when v_first.turn is not null; -- another has taken it since
    exit when v_was_short;
    v_was_short := true;
    if v_rows = '{}' and p_waits then -- before anything is held
      perform mill.wait_for_pack(p_queue, p_kinds);
      v_again := true; -- also if there is none: it may have been unpacked since the first look
    end if;
    -- Both run, whatever the first finds.
    exit when mill.promote(100) + mill.lower_floors(p_queue) = 0 and not v_again;
  end loop;

  return v_rows;
end
$$;

comment on function mill.lock_jobs_by_priority(text, int, text[], boolean, boolean) is
  'Locks due jobs of a queue, highest priority then oldest, and says where they are; only to the first pack that a caller who takes packs has room for.';
revoke execute on function mill.lock_jobs_by_priority(text, int, text[], boolean, boolean) from public;
