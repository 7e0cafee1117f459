-- The staleness pass as cron runs it: symbol by symbol, 200 at a stretch, each committed, so that nobody who queues one of
-- them waits for the whole pass and memory stays flat. As mill.pump: no SECURITY DEFINER and no SET clause, or
-- pg_cron could not CALL it; the session's lock is freed on every path out.
create or replace procedure mill.check_stale_data(p_stretch int default 200)
language plpgsql
as $$
declare
  v_lock constant bigint := 7022341640271841; -- any constant that only this uses
  v_after text := '';
  v_symbols text[];
begin
  perform mill.require_primary();
  if not pg_catalog.pg_try_advisory_lock(v_lock) then
    return; -- the run of the minute before is still at it
  end if;

  loop
    v_symbols := '{}'; -- where the walk itself fails, the pass ends
    begin
      v_symbols := mill.watched_symbols(v_after, p_stretch);
      perform mill.check_watched(v_symbols);
    exception
      when query_canceled then
        perform pg_catalog.pg_advisory_unlock(v_lock);
        raise;
      when others then
        insert into mill.event (at, code, detail) values (mill.now(), 'check_stale_data_failed',
          pg_catalog.jsonb_build_object('after', v_after, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
    commit;
    exit when v_symbols = '{}';
    v_after := v_symbols[pg_catalog.cardinality(v_symbols)];
  end loop;

  perform mill.record_heartbeat('check-stale-data');
  commit;
  perform pg_catalog.pg_advisory_unlock(v_lock);
end
$$;

comment on procedure mill.check_stale_data(int) is 'Queues what is watched and stale, a stretch of symbols a transaction. Runs never overlap.';
revoke execute on procedure mill.check_stale_data(int) from public;
