-- The window and the target's queues are looked up once: for each of the minute's batches, a busy queue's tick took 80 ms.
-- A worker that dies takes its whole batch along, and that is one failure: counted by jobs, a single crash would open the breaker.
create or replace function mill.recent_attempts(p_target text, p_since timestamptz, out attempts bigint, out failures bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum(c.attempts), 0), coalesce(sum(c.attempts) filter (where s.outcome <> 'completed'), 0)
  from mill.stat_batch s
  cross join lateral (select case s.outcome when 'lost' then 1 else s.jobs end as attempts) c
  where s.outcome in ('completed', 'failed', 'dead', 'lost')
    and s.queue = any (array(select q.queue from mill.queue q where mill.target_of(q.function, q.provider) = p_target))
    and s.at >= (select greatest(p_since, mill.now() - make_interval(secs => mill.setting('breaker.window_seconds', '60')::int)))
$$;

comment on function mill.recent_attempts(text, timestamptz) is 'Attempts that a target ended within the breaker''s window, and how many of them failed.';
revoke execute on function mill.recent_attempts(text, timestamptz) from public;
