-- A row of mill.pack_lease is looked at when its leases expire. Nearly always nothing is left of it by then, and it goes. What
-- still runs keeps it until the earliest of those leases expires: heartbeats extend the jobs' own and not this one. What is taken
-- back has a place in its line when it is next claimed, and is looked for there.
--
-- Lock order: the leases, then their jobs; both are skipped when locked (see mill.running_transactions).
create or replace function mill.lock_expired_pack_leases(p_now timestamptz, p_max int) returns tid[]
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_leases tid[] := array(
    select l.ctid from mill.pack_lease l where l.lease_until <= p_now order by l.lease_until limit 10000 for update skip locked);
  v_running xid[] := mill.running_transactions();
  v_rows tid[];
begin
  if v_leases = '{}' then
    return '{}'::tid[];
  end if;
  v_rows := array(
    select j.ctid
    from mill.pack_lease l
    cross join lateral (
      select j.ctid from mill.job_live j
      where j.id between l.first and l.last and j.turn is null and not j.waits and j.slot is null and j.lease_until <= p_now
        and j.xmax <> all (v_running)
      limit p_max
      for update skip locked) j
    where l.ctid = any (v_leases)
    limit p_max);
  if cardinality(v_rows) >= p_max then
    return v_rows; -- more than can be taken back at once: no lease is done with
  end if;

  with looked as materialized (
    select l.ctid as place, (
      select min(j.lease_until) from mill.job_live j
      where j.id between l.first and l.last and j.turn is null and not j.waits and j.slot is null) as next
    from mill.pack_lease l
    where l.ctid = any (v_leases)
  ),
  kept as (
    update mill.pack_lease l set lease_until = k.next from looked k where l.ctid = k.place and k.next > p_now
  )
  delete from mill.pack_lease l where l.ctid = any (array(select k.place from looked k where k.next is null));
  return v_rows;
end
$$;

comment on function mill.lock_expired_pack_leases(timestamptz, int) is 'Locks jobs claimed out of packs whose leases have expired and says where they are. For mill.lock_expired_leases alone.';
revoke execute on function mill.lock_expired_pack_leases(timestamptz, int) from public;
