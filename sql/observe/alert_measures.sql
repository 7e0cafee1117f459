-- What the engine's own alert rules measure: (subject, value), a row for each thing that can alarm. Other parts bring
-- theirs in files of their own.
create or replace function mill.measure_depth() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  -- No further than the rules ask: this runs in every tick.
  select q.queue, mill.depth(q.queue, r.enough)::numeric
  from mill.queue q
  cross join (
    select ceil(coalesce(max(a.threshold), 1000))::int + 1 as enough from mill.alert_rule a where a.measure = 'mill.measure_depth') r
$$;
comment on function mill.measure_depth() is 'Due jobs a queue, counted to just above the highest threshold.';
revoke execute on function mill.measure_depth() from public;

create or replace function mill.measure_stalled() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select q.queue, extract(epoch from mill.now() - greatest(o.due, (
    select max(s.minute) + interval '1 minute' from mill.stat s
    where s.queue = q.queue and s.outcome = 'completed' and s.minute > mill.now() - interval '1 hour')))
  from mill.queue q
  cross join lateral (select mill.oldest_due(q.queue) as due) o
  where o.due is not null and not q.paused
$$;
comment on function mill.measure_stalled() is 'For queues with due work: seconds without a completed job.';
revoke execute on function mill.measure_stalled() from public;

create or replace function mill.measure_cron_lock() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'process-queue-batch', l.seconds
  from (select mill.lock_held_seconds(7022311640271840) as seconds) l -- that of mill.pump
  where l.seconds is not null
$$;
comment on function mill.measure_cron_lock() is 'Seconds for which one run of the pump has held its lock; a sound one ends within the minute.';
revoke execute on function mill.measure_cron_lock() from public;

create or replace function mill.measure_breakers() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select b.target, (b.state = 'open')::int::numeric from mill.breaker b $$;
comment on function mill.measure_breakers() is '1 for a target that is not invoked.';
revoke execute on function mill.measure_breakers() from public;

create or replace function mill.measure_dead_letters() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select q.queue, (select count(*) from (
    select from mill.job_dead j where j.queue = q.queue and j.finished_at > mill.now() - interval '1 hour' limit 10000) j)::numeric
  from mill.queue q
$$;
comment on function mill.measure_dead_letters() is 'Dead letters of the last hour a queue, counted to 10,000.';
revoke execute on function mill.measure_dead_letters() from public;

create or replace function mill.measure_lease_losses() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select s.queue, 100.0 * sum(s.jobs) filter (where s.outcome = 'lost') / sum(s.jobs)
  from mill.stat s
  where s.minute > mill.now() - interval '1 hour' and s.outcome in ('completed', 'failed', 'dead', 'lost')
  group by s.queue
  having sum(s.jobs) >= 100 -- below that one lost worker would be a catastrophe
    and count(*) filter (where s.outcome = 'lost') > 0
$$;
comment on function mill.measure_lease_losses() is 'Percent of the last hour''s attempts whose worker was lost, of queues with 100 or more.';
revoke execute on function mill.measure_lease_losses() from public;

create or replace function mill.measure_not_completed() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select s.queue, round(100.0 * coalesce(sum(s.jobs) filter (where s.outcome = 'dead'), 0) / sum(s.jobs), 4)
  from mill.stat s
  where s.minute > mill.now() - interval '1 hour' and s.outcome in ('completed', 'dead')
  group by s.queue
  having sum(s.jobs) >= 100 -- below that one dead letter would break the objective
$$;
comment on function mill.measure_not_completed() is 'Percent of the jobs that ended in the last hour and became dead letters, of queues with 100 or more. Cancelled jobs do not count.';
revoke execute on function mill.measure_not_completed() from public;

insert into mill.alert_rule (rule, severity, measure, threshold, hold_seconds, description) values
  ('queue_depth', 'P1', 'mill.measure_depth', 1001, 1800, 'More than 1,000 due jobs for 30 minutes'),
  ('queue_stalled', 'P1', 'mill.measure_stalled', 600, 0, 'Nothing completed in 10 minutes with work pending'),
  ('cron_lock_held', 'P0', 'mill.measure_cron_lock', 600, 0, 'One run of the pump holds its lock for over 10 minutes'),
  ('breaker_open', 'P1', 'mill.measure_breakers', 1, 0, 'A target is not invoked, because its attempts fail'),
  ('dead_letters_growing', 'P1', 'mill.measure_dead_letters', 10, 0, '10 or more new dead letters in an hour'),
  ('lease_losses', 'P1', 'mill.measure_lease_losses', 0.1, 0, 'Over 0.1% of attempts lose their worker'),
  ('jobs_not_completed', 'P1', 'mill.measure_not_completed', 1, 0, '1% or more of the jobs that end become dead letters')
on conflict (rule) do nothing;
