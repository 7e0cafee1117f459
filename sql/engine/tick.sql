-- Reclaim and promote come first and outside of any block: whatever fails after them takes only itself back. Workflows
-- come last: settling may wait for those that are locked here.
create or replace function mill.tick() returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_reclaimed int := mill.reclaim();
  v_promoted int := mill.promote();
  v_step text;
begin
  foreach v_step in array array['end_lost_invocations', 'judge_breakers', 'roll', 'sweep_queues', 'fold_api_use', 'chain_audit', 'watch_alerts', 'advance_left_behind'] loop
    begin
      execute format('select mill.%I()', v_step);
    exception when others then
      insert into mill.event (at, code, detail) values (mill.now(), 'tick_failed',
        jsonb_build_object('step', v_step, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end loop;

  insert into mill.heartbeat (part, at) values ('tick', mill.now())
  on conflict (part) do update set at = excluded.at;
  return jsonb_build_object('reclaimed', v_reclaimed, 'promoted', v_promoted);
end
$$;

comment on function mill.tick() is 'One round of housekeeping: reclaim and promote, then lost invocations, breakers, statistics, sweeps, provider limits, the audit chain and alerts.';
revoke execute on function mill.tick() from public;
