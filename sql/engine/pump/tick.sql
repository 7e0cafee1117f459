-- Reclaim and promote are outside of any block: nothing that fails takes them back. Lost invocations come before reclaim, because their jobs
-- return sooner than those of an expired lease. The steps of other parts come last, in the order of their places.
create or replace function mill.tick() returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_reclaimed int;
  v_promoted int;
  v_step text;
begin
  perform mill.run_step('mill.end_lost_invocations');
  v_reclaimed := mill.reclaim();
  v_promoted := mill.promote();
  foreach v_step in array array['mill.judge_breakers', 'mill.fold_statistics', 'mill.repair_hints'] || array(
    select h.routine from mill.hook h where h.event = 'tick' order by h.place, h.routine)
  loop
    perform mill.run_step(v_step);
  end loop;

  insert into mill.heartbeat (part, at) values ('tick', mill.now())
  on conflict (part) do update set at = excluded.at;
  return jsonb_build_object('reclaimed', v_reclaimed, 'promoted', v_promoted);
end
$$;

comment on function mill.tick() is 'One round of housekeeping: lost invocations, reclaim and promote, then breakers, statistics, hints, and the hooks of tick.';
revoke execute on function mill.tick() from public;
