-- Chooses jobs lane by lane, under the cap lock of the queue. Two tries: most claims are satisfied by an even
-- share of each lane; where lanes are short, the second lets the others fill the rest.
create or replace function mill.lock_jobs_in_turn(p_queue mill.queue, p_max int, p_kinds text[]) returns tid[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lanes int;
  v_rows tid[];
begin
  for v_try in 1 .. 2 loop
    select count(*) into v_lanes
    from (select from mill.lane l where l.queue = p_queue.queue and not l.idle limit 1000) l;
    v_rows := mill.find_jobs_in_turn(p_queue, p_max, p_kinds, least(p_max, 2 * p_max / greatest(v_lanes, 1) + 1));
    if cardinality(v_rows) < p_max and v_lanes > 1 then
      v_rows := mill.find_jobs_in_turn(p_queue, p_max, p_kinds, p_max);
    end if;
    exit when v_try = 2 or cardinality(v_rows) = p_max;
    exit when mill.promote(100) + mill.repair_lanes(p_queue.queue, false) = 0;
  end loop;

  -- Nobody else claims here now; a row that cancel or a duplicate has locked is left for the next claim.
  v_rows := array(
    select j.ctid from mill.job_live j where j.ctid = any (v_rows) and j.state = 'pending' for update skip locked);
  perform mill.count_served(p_queue.queue, v_rows);
  return v_rows;
end
$$;

comment on function mill.lock_jobs_in_turn(mill.queue, int, text[]) is 'Locks due jobs of a fair or group-capped queue.';
revoke execute on function mill.lock_jobs_in_turn(mill.queue, int, text[]) from public;
