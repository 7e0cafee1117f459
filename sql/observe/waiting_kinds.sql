-- Which kinds wait in a queue, and since when the oldest job of each has been due. A queue all of whose kinds are served is answered by
-- mill.oldest_due alone. Otherwise the first 10,000 jobs of each line are looked at: what lies behind them is not seen, and nothing is counted.
create or replace function mill.waiting_kinds(p_queue text) returns table (kind text, due_since timestamptz)
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select j.kind, min(j.run_at)
  from mill.floor f
  cross join lateral (
    (select o.kind, o.run_at from mill.job_live o
     where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending'
     order by o.turn limit 10000)
    union all
    (select p.kind, p.run_at from mill.pack p where p.line = f.line and p.turn >= f.turn order by p.turn limit 10000)) j
  where f.queue = p_queue
  group by j.kind
$$;

comment on function mill.waiting_kinds(text) is 'The kinds of due jobs that nobody holds, in front of a queue, each with its oldest.';
revoke execute on function mill.waiting_kinds(text) from public;

-- A function serves whatever is in its queue. Of other queues a kind is served once a worker has asked for it.
create or replace function mill.oldest_served(p_queue mill.queue) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when p_queue.served_by = 'function' or not exists (select from mill.kind k where k.queue = p_queue.queue and k.first_asked_at is null)
      then mill.oldest_due(p_queue.queue)
    else (
      select min(w.due_since) from mill.waiting_kinds(p_queue.queue) w
      where not exists (select from mill.kind k where k.kind = w.kind and k.first_asked_at is null))
  end
$$;

comment on function mill.oldest_served(mill.queue) is 'Since when the longest waiting due job of a queue has been due, not counting kinds that no worker has ever asked for.';
revoke execute on function mill.oldest_served(mill.queue) from public;
