-- Lowers the floor to a job that appeared below it, and moves safe up. mill.raise_floors tells what these are.
--
-- A transaction that writes and stays open for long keeps safe where it is, and the look becomes long: the next
-- one is then due after twenty times what this one took, so that it never costs more than a twentieth.
--
-- A mark whose transaction number lies in the future was set in another cluster: the database was restored from a dump. Nobody who ran
-- there runs here. Without this, safe would stay where it was until this cluster had used as many transactions as the other one.
create or replace function mill.lower_floors(p_queue text) returns int
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
  v_late bigint;
  v_begun timestamptz;
  v_snapshot pg_snapshot;
  v_found int := 0;
begin
  for v_line in
    select f.line, f.version from mill.floor f
    where f.queue = p_queue and f.safe < f.turn and f.look_at <= clock_timestamp() + interval '1 second'
  loop
    select v.ctid as place, v.* into v_floor
    from mill.floor_version v where v.line = v_line.line and v.version >= v_line.version for no key update skip locked;
    continue when not found or v_floor.safe = v_floor.turn;
    v_begun := clock_timestamp();
    v_snapshot := pg_current_snapshot();
    select least(
      (select j.turn from mill.job_live j
       where j.line = v_floor.line and not j.waits and j.state = 'pending'
         and j.turn >= v_floor.safe and j.turn < v_floor.turn
       order by j.turn
       limit 1),
      (select p.turn from mill.pack p
       where p.line = v_floor.line and p.turn >= v_floor.safe and p.turn < v_floor.turn
       order by p.turn
       limit 1))
    into v_late;

    if v_late is not null then
      update mill.floor_version v set version = v.version + 1, turn = v_late, safe = least(v.safe, v_late),
        mark = least(v.mark, v_late), tail = least(v.tail, v_late)
      where v.ctid = v_floor.place;
      v_found := v_found + 1;
    elsif v_floor.mark < v_floor.turn
      and (pg_snapshot_xmin(v_snapshot) >= v_floor.mark_xid or pg_snapshot_xmax(v_snapshot) < v_floor.mark_xid) then
      -- Whoever ran when the mark was set has ended, and nothing of theirs lies below it.
      update mill.floor_version v set
        version = v.version + 1,
        safe = v_floor.mark,
        mark = v_floor.turn,
        mark_xid = pg_snapshot_xmax(v_snapshot),
        look_at = clock_timestamp() + 20 * (clock_timestamp() - v_begun)
      where v.ctid = v_floor.place;
    end if;
  end loop;
  return v_found;
end
$$;

comment on function mill.lower_floors(text) is 'Looks for jobs that appeared below the floors of a queue; says in how many lines there were any.';
revoke execute on function mill.lower_floors(text) from public;
