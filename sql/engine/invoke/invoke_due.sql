-- Asks for as many invocations as each queue's backlog and limits justify; the worker is told of what became due.
create or replace function mill.invoke_due() returns int
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.wake(q, 'pump') from mill.queue q where q.served_by = 'worker';
  select count(mill.invoke(w.queue, 'pump'))::int
  from (
    select q.queue,
      -- Counting stops where more work would not mean more invocations.
      least(q.max_parallel, ceil(mill.depth(q.queue, q.batch_size * q.max_parallel)::numeric / q.batch_size)) - a.active as wanted
    from mill.queue q
    cross join lateral (
      select count(*) as active from mill.invocation i
      where i.queue = q.queue and i.ended_at is null
        and (i.begun_at is not null or i.asked_at > mill.now() - interval '2 seconds')
        and coalesce(i.begun_at, i.asked_at) > mill.now() - make_interval(secs => q.invocation_seconds)) a
    where q.served_by = 'function' and not q.paused
      and not exists (select from mill.breaker b where b.target = mill.target_of(coalesce(q.function, q.url), q.provider) and b.state = 'open')
  ) w
  cross join lateral generate_series(1, w.wanted)
$$;

comment on function mill.invoke_due() is 'Invokes the functions of queues with due jobs; says how many invocations were asked for.';
revoke execute on function mill.invoke_due() from public;
