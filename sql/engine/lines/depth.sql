-- From the floors on, as claims look: dead index entries are not walked over. Packs have ten jobs and more on average: the last one of
-- a batch may be short.
create or replace function mill.depth(p_queue text, p_limit int) returns int
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select least(p_limit, packed.jobs + (
    select count(*) from (
      select from mill.floor f
      cross join lateral (
        select from mill.job_live o
        where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending'
        limit p_limit - packed.jobs) j
      where f.queue = p_queue
      limit p_limit - packed.jobs) j))::int
  from (
    select least(p_limit, coalesce(sum(p.jobs), 0)) as jobs
    from mill.floor f
    cross join lateral (select p.jobs from mill.pack p where p.line = f.line and p.turn >= f.turn limit p_limit / 10 + 2) p
    where f.queue = p_queue) packed
$$;

comment on function mill.depth(text, int) is 'How many jobs of a queue are due, counted no further than the limit.';
revoke execute on function mill.depth(text, int) from public;
