-- Until when a compat worker shall send its next heartbeat, in seconds from now: what the call says, else the setting. A day at the most,
-- because no heartbeat and no other call takes such a lease back.
create or replace function mill.worker_interval_seconds(p_asked int) returns numeric
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select least(greatest(coalesce(p_asked, mill.setting('worker.heartbeat_interval_seconds', '30')::numeric), 0), 86400)
$$;

comment on function mill.worker_interval_seconds(int) is 'How many seconds a compat worker has until its next heartbeat; null asks for worker.heartbeat_interval_seconds.';
revoke execute on function mill.worker_interval_seconds(int) from public;
