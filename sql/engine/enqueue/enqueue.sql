-- Inserts many jobs in one statement, or none. mill.refuse_job says what is refused.
--
-- Two ways: a batch without dedupe keys and unique jobs into queues that take any number is one plain INSERT, 500 jobs in
-- 8 ms of CPU; the rest goes through mill.enqueue_keyed. ON CONFLICT for all would cost each row a second WAL record.
--
-- The transaction takes its xid before it reads the clock: mill.raise_floors relies on that order.
create or replace function mill.enqueue(p_jobs jsonb)
returns table (ordinal int, id uuid, status text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_sort = off
set jit = off
as $$
declare
  v_xid xid8 := pg_current_xact_id();
  v_turn bigint := mill.clock_us();
  v_now timestamptz := mill.now();
  v_random text := mill.uuid7_tail();
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
  v_is_limited boolean;
  v_has_lanes boolean;
  v_has_schemas boolean;
  v_has_unique boolean;
  v_queues text[];
begin
  if jsonb_typeof(p_jobs) is distinct from 'array' then
    raise exception 'jobs must be an array' using errcode = 'GM004';
  end if;
  if p_jobs @? '$[*] ? (@.type() != "object")' then
    raise exception 'job is malformed' using errcode = 'GM004', detail = 'a job is not an object';
  end if;

  if p_jobs @? '$[*].priority' then
    perform mill.open_lines(p_jobs);
  end if;
  -- A queue may come twice here, once for each of its kinds.
  select bool_or(q.depth_limit is not null or q.draining), bool_or(q.dequeue = 'fair' or q.max_running_per_group is not null),
    bool_or(k.compiled_schema is not null), bool_or(k.unique_by is not null), array_agg(q.queue)
  into v_is_limited, v_has_lanes, v_has_schemas, v_has_unique, v_queues
  from mill.kind k join mill.queue q on q.queue = k.queue
  where k.kind in (select e ->> 'kind' from jsonb_array_elements(p_jobs) e);
  if v_has_schemas then
    perform mill.check_fits(p_jobs);
  end if;
  if v_has_unique or p_jobs @? '$[*].unique' then
    return query select * from mill.enqueue_keyed(p_jobs, v_now, v_turn, v_random, v_max_bytes, mill.claim_unique(p_jobs, v_now, v_turn, v_random));
  elsif v_is_limited or p_jobs @? '$[*].dedupe_key' then
    return query select * from mill.enqueue_keyed(p_jobs, v_now, v_turn, v_random, v_max_bytes);
  else
    return query
    insert into mill.job_live (
      id, line, turn, queue, kind, name, category, payload, state, waits, priority, run_at, max_attempts,
      group_key, lane, owner, parent, correlation_id, traceparent, created_at)
    select
      a.id, a.line, a.turn, a.queue, a.kind, a.name, a.category, a.payload, a.state, a.state = 'deferred', a.priority, a.run_at, a.max_attempts,
      a.group_key, a.lane, a.owner, a.parent, a.correlation_id, a.traceparent, v_now
    from mill.parse_jobs(p_jobs, v_now, v_turn, v_random, v_max_bytes) a
    returning (job_live.turn - v_turn - 1)::int, job_live.id, 'new';
  end if;

  -- Last, when nothing is waited for any more: claims and other enqueues may want these rows.
  if v_has_lanes then
    perform mill.open_lanes(p_jobs);
  end if;
  perform mill.wake(q) from mill.queue q where q.queue = any (v_queues);
end
$$;

comment on function mill.enqueue(jsonb) is
  'Inserts an array of jobs {kind, payload, name, category, priority, run_at, max_attempts, dedupe_key, unique, group_key, owner, parent, correlation_id, traceparent}; answers new, duplicate or throttled for each.';
revoke execute on function mill.enqueue(jsonb) from public;
-- The application's own transactions: with mill.send_event the only functions of mill that another role may call.
do $$
begin
  if to_regrole('gristmill_app') is not null then
    grant usage on schema mill to gristmill_app;
    grant execute on function mill.enqueue(jsonb) to gristmill_app;
  end if;
end
$$;
