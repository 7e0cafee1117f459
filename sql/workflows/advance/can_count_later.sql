-- Whether what ended of a step may be counted later. It may if nothing waits for any of it by itself, and if another task of the
-- step is still to end: until then the step is not done, and nothing that needs the step could start.
--
-- "Still to end" must hold for sure. Two batches that each saw the other's tasks as live would both leave it to the
-- other, and nobody would count. So one live task is locked until our commit, in the weakest way that a DELETE waits
-- for: whoever ends it comes after us and finds what we left. One that somebody is ending right now is locked by them,
-- and passed over. If none is to be had, we may be the last: the caller then waits for the job and counts.
--
-- SKIP LOCKED has a hole: for a row that was claimed since our snapshot, Postgres marks its newer version too, and waits
-- if somebody is ending that. They may be waiting for a task that we hold. So we give up after a moment, and what was
-- locked for this step is let go.
--
-- Looked for from the end of the list, which is claimed last, and no further than 500 items: a longer search would cost
-- more than counting does.
create or replace function mill.can_count_later(p_told mill.ended) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
set lock_timeout = '10ms'
as $$
begin
  if not mill.is_countable(p_told) then
    return false;
  end if;
  perform from (
    select t.id, t.state from mill.task t where t.job_id = p_told.parent and t.key = p_told.name order by t.item desc limit 500) t
  cross join lateral (select from mill.job_live l where l.id = t.id for key share skip locked) l
  where t.state = 'queued'
  limit 1;
  return found;
exception when lock_not_available then
  return false;
end
$$;

comment on function mill.can_count_later(mill.ended) is 'Whether a later batch is sure to count what this one has ended, and nothing needs it before.';
revoke execute on function mill.can_count_later(mill.ended) from public;
