-- How each queue stands, cheaply: every count ends at 1,000. One statement whose plan is kept, because it runs every two seconds for each open page:
-- mill.depth and mill.count_processing would be planned anew by every call. With a million pending and ten million finished jobs it takes under 2 ms.
--
-- running is exact for a queue that counts its running jobs. For a function it is what its open invocations have claimed; for others it is what stands at
-- the front of the lines and in the newest leases of packs.
create or replace function mill.queue_pulse()
returns table (queue text, pending int, running int, oldest_due timestamptz, paused boolean, draining boolean, breaker text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
  select q.queue,
    least(1000, r.pending + packed.pending)::int,
    case
      when q.counts_running then (select count(*) from (select from mill.job_live j where j.slot = q.queue limit 1000) j)
      when q.served_by = 'function' then (
        select coalesce(sum(i.claimed), 0) from (
          select o.claimed from mill.invocation o where o.queue = q.queue and o.ended_at is null and o.begun_at is not null limit 1000) i)
      else f.running + (
        select count(*) from (
          select l.first, l.last from (select * from mill.pack_lease order by lease_until desc limit 50) l where l.queue = q.queue) l
        cross join lateral (select from mill.job_live j where j.id between l.first and l.last and j.turn is null and j.state = 'processing' limit 100) j) end::int,
    least(r.oldest, packed.oldest), q.paused, q.draining, coalesce(b.state, 'closed')
  from (select * from mill.queue order by mill.queue.queue limit 200) q
  cross join lateral (
    select count(*) as pending, min(j.run_at) as oldest from (
      select o.run_at from mill.floor f
      cross join lateral (
        select o.run_at from mill.job_live o where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending' order by o.turn limit 1000) o
      where f.queue = q.queue limit 1000) j) r
  cross join lateral (
    select coalesce(sum(p.jobs), 0) as pending, min(p.run_at) as oldest from (
      select k.jobs, k.run_at from mill.floor f
      cross join lateral (select k.jobs, k.run_at from mill.pack k where k.line = f.line and k.turn >= f.turn order by k.turn limit 102) k
      where f.queue = q.queue limit 102) p) packed
  cross join lateral (
    select count(*) as running from (
      select from mill.floor f
      cross join lateral (
        select from mill.job_live o where o.line = f.line and o.turn >= f.tail and o.turn < f.turn and not o.waits and o.state = 'processing' limit 1000) o
      where f.queue = q.queue and not q.counts_running and q.served_by <> 'function' limit 1000) o) f
  left join mill.breaker b on b.target = case when q.provider is null then coalesce(q.function, q.url) else coalesce(q.function, q.url) || ':' || q.provider end;
end
$$;

comment on function mill.queue_pulse() is 'How each queue stands, counted to 1,000. For the console alone.';
revoke execute on function mill.queue_pulse() from public;

-- What changed since the cursor. The cursor is what the page was told last, in short: a digest for each queue, the newest closed minute, digests of the rest. So nothing is
-- kept on this side, and any number of pages may ask.
create or replace function public.console_pulse(p_cursor text default null, p_watch uuid[] default null) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_role text := mill.require_console('viewer');
  v_was jsonb := mill.pulse_cursor(p_cursor);
  v_now timestamptz := mill.now();
  v_queues jsonb;
  v_digests jsonb;
  v_minutes jsonb;
  v_watch jsonb := mill.pulse_watch(p_watch);
  v_rest jsonb := mill.pulse_rest(v_now);
  v_more boolean;
begin
  -- Twenty queues an answer keep it below 5 KB; those left out keep their old digest, and come with the next.
  select coalesce(jsonb_agg(c.shown order by c.queue) filter (where c.changed and c.place <= 20), '[]'),
    coalesce(jsonb_object_agg(c.queue, case when c.changed and c.place > 20 then v_was #>> array['q', c.queue] else c.digest end)
      filter (where not (c.changed and c.place > 20) or v_was -> 'q' ? c.queue), '{}'),
    coalesce(bool_or(c.changed and c.place > 20), false)
  into v_queues, v_digests, v_more
  from (
    select s.*, row_number() over (partition by s.changed order by s.queue) as place
    from (
      select p.queue, d.shown, d.digest, v_was #>> array['q', p.queue] is distinct from d.digest as changed
      from mill.queue_pulse() p
      cross join lateral (
        select jsonb_build_object('queue', p.queue, 'pending', p.pending, 'pending_more', p.pending >= 1000, 'running', p.running, 'running_more', p.running >= 1000,
          'oldest_due', p.oldest_due, 'paused', p.paused, 'draining', p.draining, 'breaker', p.breaker) as shown) o
      cross join lateral (select o.shown, left(md5(o.shown::text), 6) as digest) d) s) c;

  select coalesce(jsonb_agg(jsonb_build_object('queue', m.queue, 'minute', m.minute, 'completed', m.completed, 'failed', m.failed, 'dead', m.dead) order by m.minute, m.queue), '[]')
  into v_minutes
  from (
    select s.minute, s.queue, coalesce(sum(s.jobs) filter (where s.outcome = 'completed'), 0) as completed,
      coalesce(sum(s.jobs) filter (where s.outcome in ('failed', 'lost')), 0) as failed, coalesce(sum(s.jobs) filter (where s.outcome = 'dead'), 0) as dead
    from mill.stat_minute s
    where s.minute > greatest((v_was ->> 'm')::timestamptz, v_now - interval '5 minutes') and p_cursor is not null
      -- Minutes that may still grow are left for later: statistics are folded a minute after they were counted.
      and s.minute < date_trunc('minute', v_now) - interval '2 minutes'
    group by 1, 2 order by 1, 2 limit 20) m;

  return v_rest || jsonb_build_object(
    'cursor', jsonb_build_object('q', v_digests, 'w', left(md5(v_watch::text), 6), 'a', v_rest #> '{alerts,digest}',
      'm', coalesce((select max(m ->> 'minute') from jsonb_array_elements(v_minutes) m), v_was ->> 'm', (date_trunc('minute', v_now) - interval '3 minutes')::text))::text,
    'now', v_now, 'again', v_more, 'queues', v_queues, 'minutes', v_minutes,
    'watch', case when v_was ->> 'w' is distinct from left(md5(v_watch::text), 6) then v_watch else '{}' end,
    'alerts', jsonb_build_object('firing', v_rest #> '{alerts,firing}', 'changed', v_was -> 'a' is distinct from v_rest #> '{alerts,digest}'));
end
$$;

comment on function public.console_pulse(text, uuid[]) is 'What has changed since a cursor: queues, minutes, watched jobs, alerts. Asked every two seconds by an open console. For viewers of the console.';
revoke execute on function public.console_pulse(text, uuid[]) from public, anon;
grant execute on function public.console_pulse(text, uuid[]) to authenticated, service_role;
