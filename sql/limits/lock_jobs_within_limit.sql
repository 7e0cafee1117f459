-- The way of queues that draw on a provider's limit: reserves for a whole claim in one step and locks no more jobs than
-- the limit admits, so that none is claimed, and none loses an attempt, for want of capacity.
--
-- Lock order: the limit's lock, then the queue's cap lock inside lock_jobs_within_caps; both are waited for by a claim's first
-- queue only. The grant is one row, whatever the number of jobs.
create or replace function mill.lock_jobs_within_limit(p_queue mill.queue, p_max int, p_kinds text[], p_waits boolean) returns tid[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit mill.api_rate_limits;
  v_capacity record;
  v_now timestamptz;
  v_max int;
  v_rows tid[];
  v_tokens bigint := 0;
begin
  -- Looked at twice: a claim that would get nothing anyway does not stand in line for the lock.
  for v_look in 1 .. 2 loop
    if v_look = 2 and not mill.lock_api(p_queue.provider, p_queue.endpoint, p_waits) then
      return '{}'::tid[];
    end if;
    v_limit := mill.api_limit(p_queue.provider, p_queue.endpoint);
    v_now := mill.now();
    if v_limit.status <> 'active' or v_limit.blocked_until > v_now then
      return '{}'::tid[];
    end if;
    select r.* into v_capacity from mill.api_capacity_left(v_limit, v_now) r;
    v_max := least(p_max, v_capacity.requests, v_capacity.slots);
    if v_max <= 0 or v_capacity.tokens <= 0 then
      return '{}'::tid[];
    end if;
  end loop;

  if p_queue.max_running is null and p_queue.max_running_per_group is null and p_queue.dequeue = 'priority' then
    v_rows := mill.lock_jobs_by_priority(p_queue.queue, v_max, p_kinds);
  else
    v_rows := mill.lock_jobs_within_caps(p_queue, v_max, p_kinds, p_waits);
  end if;
  if v_capacity.tokens is not null then
    select f.rows, f.tokens into v_rows, v_tokens
    from mill.fit_tokens(p_queue, v_rows, v_capacity.tokens, least(v_limit.tokens_per_minute, v_limit.tokens_per_hour)) f;
  end if;
  if cardinality(v_rows) > 0 then
    insert into mill.api_use (at, tokens, requests, provider, endpoint)
    values (v_now, v_tokens, cardinality(v_rows), p_queue.provider, p_queue.endpoint);
  end if;
  return v_rows;
end
$$;

comment on function mill.lock_jobs_within_limit(mill.queue, int, text[], boolean) is
  'Locks due jobs of a queue within its provider''s limit and records the grant.';
revoke execute on function mill.lock_jobs_within_limit(mill.queue, int, text[], boolean) from public;
