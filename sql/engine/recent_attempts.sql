create or replace function mill.recent_attempts(p_target text, p_since timestamptz, out attempts bigint, out failures bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum(s.jobs), 0), coalesce(sum(s.jobs) filter (where s.outcome <> 'completed'), 0)
  from mill.stat_batch s join mill.queue q using (queue)
  where mill.target_of(q.function, q.provider) = p_target and s.outcome in ('completed', 'failed', 'dead', 'lost')
    and s.at >= greatest(p_since, mill.now() - make_interval(secs => mill.setting('breaker.window_seconds', '60')::int))
$$;

comment on function mill.recent_attempts(text, timestamptz) is 'Attempts that a target ended within the breaker''s window, and how many of them failed.';
revoke execute on function mill.recent_attempts(text, timestamptz) from public;
