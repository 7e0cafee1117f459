-- The last hour of one queue or of all, and by minutes for a sparkline. The statistics are read once for everything: asking for the quantiles of each queue
-- by itself took half a second with eleven queues.
create or replace function mill.console_hours(p_now timestamptz, p_queue text default null) returns table (queue text, hour jsonb, sparkline jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  with raw as materialized (
    select s.queue, s.minute, s.outcome, s.bucket, sum(s.jobs) as jobs
    from (
      select m.minute, m.queue, m.outcome, m.bucket, m.jobs from mill.stat_minute m where m.minute >= date_trunc('minute', p_now) - interval '59 minutes'
      union all
      select date_trunc('minute', b.at), b.queue, b.outcome, b.bucket, b.jobs from mill.stat_batch b where b.at >= date_trunc('minute', p_now) - interval '59 minutes') s
    where p_queue is null or s.queue = p_queue
    group by 1, 2, 3, 4
  ),
  counted as materialized (
    select r.queue, r.minute, coalesce(sum(r.jobs) filter (where r.outcome = 'completed'), 0) as completed,
      coalesce(sum(r.jobs) filter (where r.outcome in ('failed', 'lost')), 0) as failed, coalesce(sum(r.jobs) filter (where r.outcome = 'dead'), 0) as dead
    from raw r group by 1, 2
  ),
  took as (
    -- As mill.duration_quantiles: the upper bound of the bucket that holds the quantile.
    select b.queue, min(b.upper) filter (where b.running >= 0.50 * b.total) as p50_ms, min(b.upper) filter (where b.running >= 0.95 * b.total) as p95_ms
    from (
      select h.queue, sum(h.jobs) over (partition by h.queue order by h.bucket) as running, sum(h.jobs) over (partition by h.queue) as total,
        (array[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 1800000, 86400000]::bigint[])[h.bucket + 1] as upper
      from (select r.queue, r.bucket, sum(r.jobs) as jobs from raw r where r.outcome in ('completed', 'failed', 'dead') group by 1, 2) h) b
    group by b.queue
  ),
  whole as (
    select q.queue, coalesce(sum(c.completed), 0) as completed, coalesce(sum(c.failed), 0) as failed, coalesce(sum(c.dead), 0) as dead,
      jsonb_build_object('from', min(m.minute), 'completed', jsonb_agg(coalesce(c.completed, 0) order by m.minute), 'failed', jsonb_agg(coalesce(c.failed + c.dead, 0) order by m.minute)) as sparkline
    from mill.queue q
    cross join generate_series(date_trunc('minute', p_now) - interval '59 minutes', date_trunc('minute', p_now), interval '1 minute') as m(minute)
    left join counted c on c.queue = q.queue and c.minute = m.minute
    where p_queue is null or q.queue = p_queue
    group by q.queue
  )
  select w.queue, jsonb_build_object('completed', w.completed, 'failed', w.failed, 'dead', w.dead,
      'failure_share', round((w.failed + w.dead) / nullif(w.completed + w.failed + w.dead, 0), 4), 'p50_ms', t.p50_ms, 'p95_ms', t.p95_ms), w.sparkline
  from whole w left join took t on t.queue = w.queue
$$;

comment on function mill.console_hours(timestamptz, text) is 'Attempts of the last hour of one queue or of all, in sum and by minute as a sparkline.';
revoke execute on function mill.console_hours(timestamptz, text) from public;

-- How many jobs wait, as the planner estimates it from its statistics: where counting has stopped, this still tells 20,000 from two million. Volatile, because explain is
-- refused to any other function; it writes nothing.
create or replace function mill.pending_estimate(p_queue text) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lines int[] := array(select l.line from mill.line l where l.queue = p_queue);
  v_rows json;
  v_packs json;
begin
  execute format('explain (format json) select from mill.job_live where line = any (%L::int[]) and not waits and turn is not null', v_lines) into v_rows;
  execute format('explain (format json) select from mill.pack where line = any (%L::int[])', v_lines) into v_packs;
  return (v_rows #>> '{0,Plan,Plan Rows}')::numeric::bigint + (v_packs #>> '{0,Plan,Plan Rows}')::numeric::bigint
    * coalesce((select avg(p.jobs) from (select o.jobs from mill.pack o where o.line = any (v_lines) limit 100) p), 0)::bigint;
end
$$;

comment on function mill.pending_estimate(text) is 'About how many jobs of a queue are due, by the planner''s statistics.';
revoke execute on function mill.pending_estimate(text) from public;

create or replace function mill.console_queue_state(p_queue mill.queue, p_now timestamptz) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_most constant int := 10000;
  v_pending int := mill.depth(p_queue.queue, v_most);
  v_running int := least(v_most, mill.count_processing(p_queue.queue));
  v_waiting int := (select count(*) from (select from mill.job_live j where j.waits and j.queue = p_queue.queue limit 1000) j);
  v_dead int := (select count(*) from (select from mill.job_dead j where j.queue = p_queue.queue limit 10000) j);
  v_breaker mill.breaker;
begin
  select b.* into v_breaker from mill.breaker b where b.target = mill.target_of(coalesce(p_queue.function, p_queue.url), p_queue.provider);
  return jsonb_build_object('queue', p_queue.queue, 'description', p_queue.description, 'served_by', p_queue.served_by, 'paused', p_queue.paused, 'draining', p_queue.draining,
    'pending', v_pending, 'pending_more', v_pending >= v_most, 'pending_about', case when v_pending >= v_most then greatest(v_pending, mill.pending_estimate(p_queue.queue)) end,
    'running', v_running, 'running_more', v_running >= v_most, 'cap', p_queue.max_running, 'oldest_due', mill.oldest_due(p_queue.queue),
    'waiting', v_waiting, 'waiting_more', v_waiting >= 1000, 'dead', v_dead, 'dead_more', v_dead >= 10000, 'target_seconds', p_queue.target_seconds,
    'breaker', case when p_queue.served_by = 'function' then jsonb_build_object('target', mill.target_of(coalesce(p_queue.function, p_queue.url), p_queue.provider),
      'state', coalesce(v_breaker.state, 'closed'), 'reason', coalesce(v_breaker.reason, ''), 'changed_at', v_breaker.changed_at, 'retry_at', v_breaker.retry_at,
      'opened_in_a_row', coalesce(v_breaker.opened_in_a_row, 0)) end);
end
$$;

comment on function mill.console_queue_state(mill.queue, timestamptz) is 'How a queue stands now, every count bounded.';
revoke execute on function mill.console_queue_state(mill.queue, timestamptz) from public;

create or replace function mill.console_alerts(p_resolved int) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'rule', a.rule, 'severity', r.severity, 'subject', a.subject, 'description', r.description, 'value', round(a.value, 3),
    'threshold', r.threshold, 'state', a.state, 'since', a.since, 'fired_at', a.fired_at, 'resolved_at', a.resolved_at) order by a.state, r.severity, a.since desc), '[]')
  from (
    (select * from mill.alert where state <> 'resolved' order by since desc limit 200)
    union all
    (select * from mill.alert where state = 'resolved' order by resolved_at desc limit p_resolved)) a
  join mill.alert_rule r using (rule)
$$;

comment on function mill.console_alerts(int) is 'Alerts that are open, and the newest that were resolved.';
revoke execute on function mill.console_alerts(int) from public;

create or replace function public.console_overview() returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_now timestamptz := mill.now();
  v_alive timestamptz := v_now - mill.worker_silence();
begin
  return jsonb_build_object('now', v_now,
    'queues', (
      select coalesce(jsonb_agg(mill.console_queue_state(q, v_now) || jsonb_build_object('hour', h.hour, 'sparkline', h.sparkline) order by q.queue), '[]')
      from (select * from mill.queue order by queue limit 200) q
      join mill.console_hours(v_now) h on h.queue = q.queue),
    'alerts', mill.console_alerts(0),
    'schedules_late', (select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'reason', c.reason) order by c.name), '[]') from mill.cron_health() c where c.reason is not null),
    'workers', (
      select coalesce(jsonb_agg(jsonb_build_object('worker', w.worker, 'queues', w.queues, 'first_seen_at', w.first_seen_at, 'seen_at', w.seen_at, 'alive', w.seen_at > v_alive)
        order by w.seen_at desc), '[]')
      from (select * from mill.worker where ended_at is null order by seen_at desc limit 200) w),
    'maintenance', mill.setting('maintenance.enabled', 'false') = 'true');
end
$$;

comment on function public.console_overview() is 'Every queue with its last hour, the alerts, late schedules and workers. For viewers of the console.';
revoke execute on function public.console_overview() from public, anon;
grant execute on function public.console_overview() to authenticated, service_role;
