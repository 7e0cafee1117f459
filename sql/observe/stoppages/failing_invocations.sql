-- Three failures in a row: one is a deployment or a crash, and the next invocation shows whether it is over.
create or replace function mill.failing_invocations() returns table (queue text, failure text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select q.queue, l.failures[1]
  from mill.queue q
  cross join lateral (
    select array_agg(i.failure order by i.asked_at desc) as failures
    from (
      select i.failure, i.asked_at from mill.invocation i
      where i.queue = q.queue and i.ended_at is not null and i.asked_at > mill.now() - interval '5 minutes'
      order by i.asked_at desc
      limit 3) i) l
  where q.served_by = 'function' and not q.paused and cardinality(array_remove(l.failures, null)) = 3
$$;

comment on function mill.failing_invocations() is 'Queues whose last three invocations failed, with the reason of the last one.';
revoke execute on function mill.failing_invocations() from public;

create or replace function mill.measure_invocations() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select q.queue, (f.queue is not null)::int::numeric from mill.queue q left join mill.failing_invocations() f using (queue) where q.served_by = 'function' $$;
comment on function mill.measure_invocations() is '1 for a queue whose last three invocations failed.';
revoke execute on function mill.measure_invocations() from public;

insert into mill.alert_rule (rule, severity, measure, threshold, description) values
  ('invocations_failing', 'P0', 'mill.measure_invocations', 1, 'The last three invocations of a queue failed: its function is down, refuses what Postgres signs, or cannot claim')
on conflict (rule) do nothing;
