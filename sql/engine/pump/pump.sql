-- pg_net sends only after COMMIT, so a loop inside one function would send everything at its end: this is a
-- procedure that commits each round. pg_cron cannot CALL such a procedure when it is SECURITY DEFINER, has a
-- SET clause or stands beside another statement; hence neither here, and every name is qualified.
create or replace procedure mill.pump(p_seconds numeric default 59, p_interval numeric default null)
language plpgsql
as $$
declare
  v_until timestamptz := clock_timestamp() + pg_catalog.make_interval(secs => p_seconds::double precision);
  v_patience timestamptz := clock_timestamp() + pg_catalog.make_interval(secs => least(p_seconds, 5)::double precision);
  v_pause numeric := coalesce(p_interval, mill.setting('pump.interval_seconds', '5')::numeric);
  v_rest numeric := v_pause;
  v_lock constant bigint := 7022311640271840; -- any constant that only the pump uses
begin
  -- The run of the minute before may be in its last round. A run that gave up at once would leave a minute without any.
  while not pg_catalog.pg_try_advisory_lock(v_lock) loop
    if clock_timestamp() >= v_patience then
      return;
    end if;
    perform pg_catalog.pg_sleep(0.25);
    commit;
  end loop;

  loop
    -- Reclaim is committed before anything else can fail.
    begin
      perform mill.tick();
    exception
      when query_canceled then
        perform pg_catalog.pg_advisory_unlock(v_lock);
        raise;
      when others then
        insert into mill.event (at, code, detail)
        values (mill.now(), 'tick_failed', pg_catalog.jsonb_build_object('sqlstate', sqlstate, 'message', sqlerrm));
    end;
    commit;

    -- By itself: a key that an application holds keeps no job from being reclaimed or invoked.
    begin
      perform mill.enqueue_schedules();
    exception
      when query_canceled then
        perform pg_catalog.pg_advisory_unlock(v_lock);
        raise;
      when others then
        insert into mill.event (at, code, detail)
        values (mill.now(), 'schedules_failed', pg_catalog.jsonb_build_object('sqlstate', sqlstate, 'message', sqlerrm));
    end;
    commit;

    begin
      perform mill.invoke_due();
      -- Where a provider's limit is what holds jobs up, the next round is when it has capacity again.
      v_rest := least(v_pause, mill.seconds_to_next_round());
      perform mill.record_heartbeat('process-queue-batch');
    exception
      when query_canceled then
        perform pg_catalog.pg_advisory_unlock(v_lock);
        raise;
      when others then
        insert into mill.event (at, code, detail)
        values (mill.now(), 'pump_failed', pg_catalog.jsonb_build_object('sqlstate', sqlstate, 'message', sqlerrm));
    end;
    commit;

    exit when clock_timestamp() + pg_catalog.make_interval(secs => v_rest::double precision) >= v_until;
    begin
      perform pg_catalog.pg_sleep(v_rest);
    exception when query_canceled then
      perform pg_catalog.pg_advisory_unlock(v_lock);
      raise;
    end;
  end loop;

  perform pg_catalog.pg_advisory_unlock(v_lock);
end
$$;

comment on procedure mill.pump(numeric, numeric) is
  'Every few seconds for a minute: reclaim, promote, enqueue what is due by schedules, invoke, each committed. Runs never overlap.';
revoke execute on procedure mill.pump(numeric, numeric) from public;
