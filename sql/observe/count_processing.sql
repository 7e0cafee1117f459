-- What holds a slot is counted by its index. The rest stands between the tail and the first pending job of its line, or
-- among the next few thousand: what claims took since the floor was moved, three times per second; or, out of a pack, between the
-- ids of its lease. Counting stops at 100,000.
create or replace function mill.count_processing(p_queue text) returns int
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  select (select count(*) from mill.job_live j where j.slot = p_queue)::int + (
    select count(*)::int from (
      select from mill.floor f
      cross join lateral (
        select from mill.job_live j
        where j.line = f.line and j.turn >= f.tail and j.turn < f.turn
          and not j.waits and j.state = 'processing' and j.slot is null
        limit 100000) j
      where f.queue = p_queue) below) + (
    select count(*)::int from mill.floor f
    cross join lateral (
      select j.state, j.slot from mill.job_live j
      where j.line = f.line and j.turn >= f.turn and not j.waits
      order by j.turn
      limit 10000) j
    where f.queue = p_queue and j.state = 'processing' and j.slot is null) + (
    select count(*)::int from (
      select from mill.pack_lease l
      cross join lateral (
        select from mill.job_live j
        where j.id between l.first and l.last and j.turn is null and j.state = 'processing' and j.slot is null
        offset 0) j
      where l.queue = p_queue
      limit 100000) packed)
$$;

comment on function mill.count_processing(text) is 'How many jobs of a queue are running.';
revoke execute on function mill.count_processing(text) from public;
