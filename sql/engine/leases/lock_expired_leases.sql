-- Three ways to what runs. Jobs of queues that count theirs hold a slot, which is indexed. What was claimed out of a pack lies between
-- the ids of a row of mill.pack_lease: see mill.lock_expired_pack_leases. The others stand in their line where
-- they stood when they were claimed: above its tail and below the first that is pending, for claims take from the front. No
-- claim and no settlement writes anything for this.
--
--        tail                          turn (the floor)
--   ──────┼──────────────────────────────┼──────────────────► turn
--    gone │ running, or gone since       │ pending
--
-- The tail follows the first that is left. One that runs for long keeps it low, and with a snapshot held open dead
-- entries pile up above it: after a look of more than a quarter of a second the next is due after twenty times as long.
-- What runs above a pending job, because that one was locked when claims passed by, is found once it was claimed.
--
-- Lock order: the line, then its jobs; both are skipped when locked (see mill.running_transactions). Whoever lowers a floor, lowers the tail with it.
create or replace function mill.lock_expired_leases(p_now timestamptz, p_max int) returns tid[]
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_line record;
  v_floor record;
  v_begun timestamptz;
  v_took interval;
  v_end bigint;
  v_first bigint;
  v_running xid[] := mill.running_transactions();
  v_rows tid[] := array(
    select x.ctid
    from mill.queue q
    cross join lateral (
      select j.ctid from mill.job_live j
      where j.slot = q.queue and j.lease_until <= p_now and j.xmax <> all (v_running)
      limit p_max
      for update skip locked) x);
begin
  v_rows := v_rows || mill.lock_expired_pack_leases(p_now, p_max);
  for v_line in
    select f.line, f.version from mill.floor f where f.tail_at <= clock_timestamp()
  loop
    select v.ctid as place, v.* into v_floor
    from mill.floor_version v where v.line = v_line.line and v.version >= v_line.version for no key update skip locked;
    continue when not found;
    v_begun := clock_timestamp();
    select j.turn into v_first
    from mill.job_live j
    where j.line = v_floor.line and j.turn >= v_floor.tail and not j.waits
    order by j.turn
    limit 1;
    v_first := least(v_first, v_floor.turn); -- null, which least leaves out: nothing is left
    select j.turn into v_end
    from mill.job_live j
    where j.line = v_floor.line and j.turn >= v_floor.turn
      and not j.waits and j.state = 'pending'
    order by j.turn
    limit 1;
    v_rows := v_rows || array(
      select j.ctid from mill.job_live j
      where j.line = v_floor.line and j.turn >= v_first
        and j.turn < coalesce(v_end, 9223372036854775807)
        and not j.waits and j.lease_until <= p_now and j.xmax <> all (v_running)
      order by j.turn
      limit p_max
      for update skip locked);
    v_took := clock_timestamp() - v_begun;
    if v_first > v_floor.tail or v_took > interval '250 milliseconds' then
      update mill.floor_version v set
        version = v.version + 1,
        tail = v_first,
        tail_at = case when v_took > interval '250 milliseconds' then clock_timestamp() + 20 * v_took else v.tail_at end
      where v.ctid = v_floor.place;
    end if;
  end loop;
  return v_rows;
end
$$;

comment on function mill.lock_expired_leases(timestamptz, int) is 'Locks jobs whose leases have expired and says where they are. For mill.reclaim alone.';
revoke execute on function mill.lock_expired_leases(timestamptz, int) from public;
