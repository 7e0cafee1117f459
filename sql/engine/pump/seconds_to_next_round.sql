create or replace function mill.seconds_to_next_round() returns numeric
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_seconds numeric;
begin
  if mill.hook_of('rest') is not null then
    execute format('select %s()', mill.hook_of('rest')) into v_seconds;
  end if;
  -- A schedule that could not be enqueued stays due, and waits for the usual round.
  return least(v_seconds, (
    select greatest(extract(epoch from min(s.next_due) - mill.now()), 0.1) from mill.job_schedule s where not s.paused and s.problem is null));
end
$$;

comment on function mill.seconds_to_next_round() is 'In how many seconds a schedule is due or a hook wants the next round of the pump; null when neither is.';
revoke execute on function mill.seconds_to_next_round() from public;
