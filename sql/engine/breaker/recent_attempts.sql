-- The window and the target's queues are looked up once: for each of the minute's batches, a busy queue's tick took 80 ms.
-- A worker that dies takes its whole batch along, and that is one failure: counted by jobs, a single crash would open the breaker.
--
-- A permanent error lies in the job and says nothing about the target: it is no attempt here, and counted apart. worst is how many failures
-- belong to the tenant that has the most: a breaker must not open on the errors of one tenant.
create or replace function mill.recent_attempts(
  p_target text, p_since timestamptz, out attempts bigint, out failures bigint, out worst bigint, out permanent bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum(t.attempts), 0), coalesce(sum(t.failures), 0), coalesce(max(t.failures) filter (where t.tenant is not null), 0),
    coalesce(sum(t.permanent), 0)
  from (
    select s.tenant,
      sum(c.attempts) filter (where not s.permanent) as attempts,
      sum(c.attempts) filter (where not s.permanent and s.outcome <> 'completed') as failures,
      sum(c.attempts) filter (where s.permanent) as permanent
    from mill.stat_batch s
    cross join lateral (select case s.outcome when 'lost' then 1 else s.jobs end as attempts) c
    where s.outcome in ('completed', 'failed', 'dead', 'lost')
      and s.queue = any (array(select q.queue from mill.queue q where mill.target_of(coalesce(q.function, q.url), q.provider) = p_target))
      and s.at >= (select greatest(p_since, mill.now() - make_interval(secs => mill.setting('breaker.window_seconds', '60')::int)))
    group by s.tenant) t
$$;

comment on function mill.recent_attempts(text, timestamptz) is
  'Attempts that a target ended within the breaker''s window, how many of them failed, and the most that failed of one tenant.';
revoke execute on function mill.recent_attempts(text, timestamptz) from public;
