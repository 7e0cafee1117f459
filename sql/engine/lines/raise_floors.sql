-- The floor: why claims stay fast while another session holds a snapshot.
--
-- A claimed row leaves a dead entry at the head of job_live_ready. Vacuum cannot remove it while any snapshot
-- might still need it, and every claim would walk over all of them. So each queue and priority has a floor,
-- the place in line where live work begins, and claims start there.
--
--        safe                 turn (the floor)
--   ──────┼─────────────────────┼──────────────────────────► turn
--    dead │ dead, maybe a late  │ live work
--         │ commit              │
--
-- A job can still appear below the floor: its place is taken from the clock before its transaction commits.
-- Nothing can appear below safe. It advances to a floor of the past (mark) once every transaction has ended
-- that ran when that floor was set (mark_xid); writers take their xid before they read the clock, so one that
-- came later stands higher. mill.lower_floors looks between the two.
--
-- Who: the claim that took jobs and finds the floor 300 ms old. It skips floors that another
-- claim is moving.
create or replace function mill.raise_floors(p_queue text) returns void
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
  v_first bigint;
begin
  perform mill.promote(100);
  perform mill.lower_floors(p_queue);
  for v_line in
    select f.line, f.version from mill.floor f where f.queue = p_queue and f.advance_at <= clock_timestamp()
  loop
    select v.ctid as place, v.* into v_floor
    from mill.floor_version v where v.line = v_line.line and v.version >= v_line.version for no key update skip locked;
    continue when not found or v_floor.advance_at > clock_timestamp(); -- another claim moves it, or has just done so
    -- Both in one statement: what is unpacked meanwhile is seen as the one or as the other.
    select least(
      (select j.turn from mill.job_live j
       where j.line = v_floor.line and j.turn >= v_floor.turn and not j.waits and j.state = 'pending'
       order by j.turn
       limit 1),
      (select p.turn from mill.pack p where p.line = v_floor.line and p.turn >= v_floor.turn order by p.turn limit 1))
    into v_first;
    -- An empty line: whoever is enqueueing now took the clock at most moments ago, and lower_floors covers the rest.
    v_first := greatest(v_floor.turn, coalesce(v_first, mill.clock_us() - 100000));

    update mill.floor_version v set
      version = v.version + 1,
      turn = v_first,
      advance_at = clock_timestamp() + interval '300 milliseconds'
    where v.ctid = v_floor.place;
  end loop;
end
$$;

comment on function mill.raise_floors(text) is 'Moves the floors of a queue up to where live work begins.';
revoke execute on function mill.raise_floors(text) from public;
