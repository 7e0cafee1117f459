-- The checks of the engine. Each answers a row for each thing that is not well.
create or replace function mill.check_cron() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select format('%s %s', c.name, c.reason) from mill.cron_health() c where c.is_critical and c.reason is not null $$;
comment on function mill.check_cron() is 'Critical schedules that did not run in time.';
revoke execute on function mill.check_cron() from public;

create or replace function mill.check_oldest_due_job() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select format('a job of queue %s has been due for %s s', q.queue, round(a.age))
  from mill.queue q
  cross join lateral (select extract(epoch from mill.now() - mill.oldest_served(q)) as age) a
  where not q.paused and a.age > mill.setting('health.oldest_due_seconds', '300')::numeric
$$;
comment on function mill.check_oldest_due_job() is 'Queues whose oldest due job waits too long. Paused ones are an operator''s will; kinds that no worker has ever asked for are a note.';
revoke execute on function mill.check_oldest_due_job() from public;

create or replace function mill.check_breakers() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select format('%s is %s', b.target, b.state) from mill.breaker b where b.state = 'open' $$;
comment on function mill.check_breakers() is 'Targets that are not invoked.';
revoke execute on function mill.check_breakers() from public;

create or replace function mill.check_dead_letters() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select format('queue %s has %s or more new ones in an hour', q.queue, d.dead)
  from mill.queue q
  cross join (select mill.setting('health.dead_letters_per_hour', '100')::int as allowed) s
  cross join lateral (
    select count(*) as dead from (
      select from mill.job_dead j where j.queue = q.queue and j.finished_at > mill.now() - interval '1 hour'
      limit s.allowed + 1) j) d
  where d.dead > s.allowed
$$;
comment on function mill.check_dead_letters() is 'Queues that bury many jobs. Counted no further than the limit.';
revoke execute on function mill.check_dead_letters() from public;

create or replace function mill.check_workers() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select format('no worker serves queue %s, which has work', q.queue)
  from mill.queue q
  where q.served_by = 'worker' and not q.paused and mill.oldest_served(q) < mill.now() - interval '1 minute'
    and not exists (
      select from mill.worker w where q.queue = any (w.queues) and w.ended_at is null
        and w.seen_at > mill.now() - make_interval(secs => mill.setting('worker.timeout_seconds', '300')::int))
    -- Workers of others are known by what they claimed alone.
    and not exists (
      select from mill.claimant c where c.queue = q.queue and not mill.has_ended(c.worker, c.claimed_at)
        and c.claimed_at > mill.now() - make_interval(secs => mill.setting('worker.timeout_seconds', '300')::int))
$$;
comment on function mill.check_workers() is 'Queues of the container worker that have work and nobody to do it.';
revoke execute on function mill.check_workers() from public;

create or replace function mill.check_invocations() returns table (detail text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select format('the last invocations of queue %s failed: %s', f.queue, f.failure) from mill.failing_invocations() f $$;
comment on function mill.check_invocations() is 'Queues whose last three invocations failed, with the reason of the last one.';
revoke execute on function mill.check_invocations() from public;

insert into mill.health_check (name, step, place) values
  ('cron', 'mill.check_cron', 10),
  ('oldest_due_job', 'mill.check_oldest_due_job', 20),
  ('breakers', 'mill.check_breakers', 30),
  ('invocations', 'mill.check_invocations', 35),
  ('dead_letters', 'mill.check_dead_letters', 40),
  ('workers', 'mill.check_workers', 50)
on conflict (name) do update set step = excluded.step, place = excluded.place;

insert into mill.settings (key, value, type, description) values
  ('health.oldest_due_seconds', '300', 'number', 'A due job that waits longer makes health fail'),
  ('health.dead_letters_per_hour', '100', 'number', 'More dead letters of one queue in an hour make health fail')
on conflict (key) do nothing;
