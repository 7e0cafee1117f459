create or replace function mill.depth(p_queue text, p_limit int) returns int
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
  select count(*)::int from (
    select from mill.job_live j where j.queue = p_queue and j.state = 'pending' limit p_limit) j
$$;

comment on function mill.depth(text, int) is 'How many jobs of a queue are due, counted no further than the limit.';
revoke execute on function mill.depth(text, int) from public;
