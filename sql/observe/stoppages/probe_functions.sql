-- A function that has nothing to do could be down unseen. So a function that has served before and was not invoked for a while is invoked with
-- nothing to claim: the request goes the whole way over pg_net, the signature and claim_jobs. A function whose last invocation failed is invoked again at
-- each tick, until it is well or three failures in a row make health fail.
create or replace function mill.probe_functions() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_pause interval := make_interval(secs => mill.setting('health.probe_seconds', '20')::double precision);
  v_count int;
begin
  if v_pause <= interval '0' then
    return 0;
  end if;
  select count(mill.invoke(p.queue, 'pump')) into v_count
  from (
    select distinct on (coalesce(q.function, q.url)) q.queue, l.asked_at, l.ended_at, l.failure
    from mill.queue q
    cross join lateral (
      select i.asked_at, i.ended_at, i.failure from mill.invocation i where i.queue = q.queue order by i.asked_at desc limit 1) l
    where q.served_by = 'function' and not q.paused and coalesce(q.function, q.url) is not null
    order by coalesce(q.function, q.url), l.asked_at desc) p
  where (p.asked_at <= v_now - v_pause or p.failure is not null and p.asked_at <= v_now - interval '4 seconds')
    and (p.ended_at is not null or p.asked_at <= v_now - v_pause)
    and not exists (select from mill.failing_invocations() f where f.queue = p.queue and p.asked_at > v_now - v_pause)
    and exists (select from mill.invocation i where i.queue = p.queue and i.begun_at is not null);
  return v_count;
end
$$;

comment on function mill.probe_functions() is 'Invokes functions that were not invoked for health.probe_seconds, so that one that is down is seen; says how many.';
revoke execute on function mill.probe_functions() from public;

insert into mill.settings (key, value, type, description) values
  ('health.probe_seconds', '20', 'number', 'How long a function of a queue may rest before it is invoked with nothing to do, to see that it answers. 0: never')
on conflict (key) do nothing;
insert into mill.hook (event, routine, place) values ('tick', 'mill.probe_functions', 25)
on conflict (event, routine) do update set place = excluded.place;
