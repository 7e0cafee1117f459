-- From the floors on, as claims look: a probe from the start of the index would walk over every dead entry.
-- plpgsql keeps its plan; a function in SQL was planned anew by every enqueue.
create or replace function mill.has_pending(p_queue text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
begin
  return exists (
      select from mill.floor f
      cross join lateral (select from mill.pack p where p.line = f.line and p.turn >= f.turn limit 1) p
      where f.queue = p_queue)
    or exists (
      select from mill.floor f
      cross join lateral (
        select from mill.job_live j
        where j.line = f.line and j.turn >= f.turn and not j.waits and j.state = 'pending'
        limit 1) j
      where f.queue = p_queue);
end
$$;

comment on function mill.has_pending(text) is 'Whether a queue has due jobs that nobody holds.';
revoke execute on function mill.has_pending(text) from public;
