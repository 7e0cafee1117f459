-- Asks for as many invocations as each queue's backlog and limits justify.
create or replace function mill.invoke_due() returns int
language sql
set search_path = pg_catalog, pg_temp
as $$
  select count(mill.invoke(w.queue, 'pump'))::int
  from (
    select q.queue,
      least(q.max_parallel, ceil(b.backlog::numeric / q.batch_size)) - a.active as wanted
    from mill.queue q
    -- Counting stops where more work would not mean more invocations.
    cross join lateral (
      select count(*) as backlog
      from (select from mill.job_live j where j.queue = q.queue and j.state = 'pending'
            limit q.batch_size * q.max_parallel) j) b
    cross join lateral (
      select count(*) as active from mill.invocation i
      where i.queue = q.queue and i.ended_at is null
        and (i.begun_at is not null or i.asked_at > mill.now() - interval '2 seconds')
        and coalesce(i.begun_at, i.asked_at) > mill.now() - make_interval(secs => q.lease_seconds)) a
    where q.function is not null and not q.paused
  ) w
  cross join lateral generate_series(1, w.wanted)
$$;

comment on function mill.invoke_due() is 'Invokes the functions of queues with due jobs; says how many invocations were asked for.';
revoke execute on function mill.invoke_due() from public;

-- pg_net sends only after COMMIT, so a loop inside one function would send everything at its end: this is a
-- procedure that commits each round. pg_cron cannot CALL such a procedure when it is SECURITY DEFINER, has a
-- SET clause or stands beside another statement; hence neither here, and every name is qualified.
create or replace procedure mill.pump(p_seconds numeric default 55, p_interval numeric default null)
language plpgsql
as $$
declare
  v_until timestamptz := clock_timestamp() + pg_catalog.make_interval(secs => p_seconds::double precision);
  v_pause numeric := coalesce(p_interval, mill.setting('pump.interval_seconds', '5')::numeric);
  v_lock constant bigint := 7022311640271840; -- any constant that only the pump uses
begin
  if not pg_catalog.pg_try_advisory_lock(v_lock) then
    return; -- the run of the minute before is still at it
  end if;

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

    begin
      perform mill.invoke_due();
      insert into mill.heartbeat (part, at) values ('pump', mill.now())
      on conflict (part) do update set at = excluded.at;
    exception
      when query_canceled then
        perform pg_catalog.pg_advisory_unlock(v_lock);
        raise;
      when others then
        insert into mill.event (at, code, detail)
        values (mill.now(), 'pump_failed', pg_catalog.jsonb_build_object('sqlstate', sqlstate, 'message', sqlerrm));
    end;
    commit;

    exit when clock_timestamp() + pg_catalog.make_interval(secs => v_pause::double precision) >= v_until;
    begin
      perform pg_catalog.pg_sleep(v_pause);
    exception when query_canceled then
      perform pg_catalog.pg_advisory_unlock(v_lock);
      raise;
    end;
  end loop;

  perform pg_catalog.pg_advisory_unlock(v_lock);
end
$$;

comment on procedure mill.pump(numeric, numeric) is
  'Every few seconds for most of a minute: reclaim, promote, invoke, each committed. Runs never overlap.';
revoke execute on procedure mill.pump(numeric, numeric) from public;
