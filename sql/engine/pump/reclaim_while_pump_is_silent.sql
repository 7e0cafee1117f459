-- cron starts the pump at full minutes only. After a crash of Postgres or of the relay, up to a minute passes without it, and the jobs of
-- what crashed would wait for that long. So while there was no round for ten seconds, one claim per second takes back what was lost. While the
-- pump runs, this costs a claim one look at mill.heartbeat.
--
-- It is no round of the pump: health must still see that cron is silent.
create or replace function mill.reclaim_while_pump_is_silent() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_lost int;
begin
  if exists (
      select from mill.heartbeat h
      where h.part = 'tick' and h.at > v_now - interval '10 seconds' or h.part = 'reclaim_while_pump_is_silent' and h.at > v_now - interval '1 second')
    or not pg_try_advisory_xact_lock(7022311640271843) -- any constant that only this uses
  then
    return;
  end if;
  insert into mill.heartbeat (part, at) values ('reclaim_while_pump_is_silent', v_now) on conflict (part) do update set at = excluded.at;
  v_lost := mill.end_lost_invocations();
  perform mill.reclaim();
  perform mill.promote();
  if v_lost > 0 then
    perform mill.wake(q, 'pump') from mill.queue q where q.served_by = 'function';
  end if;
end
$$;

comment on function mill.reclaim_while_pump_is_silent() is 'Takes back lost leases and invocations where the pump has not run for ten seconds.';
revoke execute on function mill.reclaim_while_pump_is_silent() from public;
