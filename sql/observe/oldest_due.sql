-- From the floors on, as claims look: nothing is counted, and dead index entries are not walked over.
create or replace function mill.oldest_due(p_queue text) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  select min(j.run_at)
  from mill.floor f
  cross join lateral (
    (select o.run_at from mill.job_live o
     where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending'
     order by o.turn limit 1)
    union all
    (select p.run_at from mill.pack p where p.line = f.line and p.turn >= f.turn order by p.turn limit 1)) j
  where f.queue = p_queue
$$;

comment on function mill.oldest_due(text) is 'Since when the longest waiting due job of a queue has been due, or null.';
revoke execute on function mill.oldest_due(text) from public;
