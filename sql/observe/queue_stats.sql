-- One object a queue. Counting stops at 100,000: past that the exact number changes nobody's mind.
create or replace function public.queue_stats() returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'queue', q.queue, 'served_by', q.served_by, 'paused', q.paused,
    'pending', d.pending,
    'processing', mill.count_processing(q.queue),
    'oldest_due_seconds', round(extract(epoch from n.now - mill.oldest_due(q.queue)), 3),
    'dead', (select count(*) from (select from mill.job_dead j where j.queue = q.queue limit 100000) j),
    'last_minute', coalesce(m.outcomes, '{}'),
    'p50_ms', t.p50_ms, 'p95_ms', t.p95_ms, 'p99_ms', t.p99_ms,
    'mean_ms', round(w.mean_ms, 1),
    -- Work that waits, in seconds of one worker, and how many would clear it in the queue's target.
    'backlog_seconds', round(d.pending * w.mean_ms / 1000, 1),
    'target_seconds', q.target_seconds,
    'workers_wanted', ceil(d.pending * w.mean_ms / 1000 / q.target_seconds)::int) order by q.queue), '[]')
  from mill.queue q
  cross join (select mill.now() as now) n
  cross join lateral (select mill.depth(q.queue, 100000) as pending) d
  cross join lateral (
    -- A queue that has finished nothing in the hour is taken to need a second a job.
    select coalesce(sum(s.total_ms) / nullif(sum(s.jobs), 0), 1000) as mean_ms from mill.stat s
    where s.queue = q.queue and s.minute >= n.now - interval '1 hour' and s.outcome in ('completed', 'failed', 'dead')) w
  cross join lateral (
    select jsonb_object_agg(o.outcome, o.jobs) as outcomes from (
      select s.outcome, sum(s.jobs) as jobs from mill.stat s
      where s.queue = q.queue and s.minute >= date_trunc('minute', n.now) - interval '1 minute'
        and s.minute < date_trunc('minute', n.now)
      group by s.outcome) o) m
  cross join lateral mill.duration_quantiles(q.queue, n.now - interval '15 minutes') t
$$;

comment on function public.queue_stats() is
  'Depth, age, throughput, durations, backlog in seconds of work and the workers that would clear it, for each queue.';
revoke execute on function public.queue_stats() from public, anon, authenticated;
grant execute on function public.queue_stats() to service_role;
