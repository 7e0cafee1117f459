-- A duplicate can only bring the job that is there forward: higher priority, earlier run_at. A job that waits for its
-- backoff keeps waiting: asking again is no reason to hammer whatever made it fail.
--
-- Lock order: by id. One at a time: duplicates are few, and a join would leave the way to the rows to the planner.
create or replace function mill.raise_priority_of_duplicate(p_answers jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wanted record;
begin
  for v_wanted in
    select (a.value ->> 'id')::uuid as id, max((a.value ->> 'priority')::int) as priority,
      min((a.value ->> 'run_at')::timestamptz) as run_at
    from jsonb_each(p_answers) a
    where a.value ->> 'status' = 'duplicate'
    group by 1 order by 1
  loop
    update mill.job_live j set
      priority = greatest(j.priority, v_wanted.priority),
      run_at = case when j.state = 'deferred' then least(j.run_at, v_wanted.run_at) else j.run_at end,
      state = case when j.state = 'deferred' and v_wanted.run_at <= p_now then 'pending' else j.state end,
      waits = j.waits and not (j.state = 'deferred' and v_wanted.run_at <= p_now),
      -- Never below the floor of the line that it joins.
      (line, turn) = (
        select f.line, greatest(j.turn, f.turn) from mill.floor f
        where f.queue = j.queue and f.priority = greatest(j.priority, v_wanted.priority))
    where j.id = v_wanted.id and (
      j.state = 'pending' and j.priority < v_wanted.priority
      or j.state = 'deferred' and (j.priority < v_wanted.priority or j.run_at > v_wanted.run_at));
  end loop;
end
$$;

comment on function mill.raise_priority_of_duplicate(jsonb, timestamptz) is 'Raises the priority of the jobs that a batch duplicates, and moves their run_at forward; never the other way.';
revoke execute on function mill.raise_priority_of_duplicate(jsonb, timestamptz) from public;
