-- Many jobs of one kind that differ in nothing but their payload. Twenty or more wait packed (see mill.pack), in packs that a claim
-- of the queue's batch size takes whole; fewer, and large ones, are rows at once. What takes more than a plain INSERT, because of
-- its queue's options, goes by way of mill.enqueue.
--
-- Ids of one call share all but their last five digits, so that those of a pack are a range to which nobody else's belong.
create or replace function mill.enqueue_many(p_kind text, p_payloads jsonb) returns uuid[]
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_sort = off -- jobs stay in order where they are grouped into packs
set jit = off
as $$
declare
  v_xid xid8 := pg_current_xact_id(); -- before the clock: see mill.raise_floors
  v_turn bigint := mill.clock_us();
  v_now timestamptz := mill.now();
  v_random text := left(mill.uuid7_tail(), 12);
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
  v_count int;
  v_queue mill.queue;
  v_kind mill.kind;
  v_line int;
  v_ids uuid[];
begin
  if jsonb_typeof(p_payloads) is distinct from 'array' then
    raise exception 'payloads must be an array' using errcode = 'GM004';
  end if;
  select k.* into v_kind from mill.kind k where k.kind = p_kind;
  select q.* into v_queue from mill.queue q where q.queue = v_kind.queue;
  if not found then
    perform mill.refuse_job(0, case when p_kind is null then 'GM004' else 'GM001' end, coalesce(p_kind, 'kind'));
  end if;
  v_queue.max_attempts := coalesce(v_kind.max_attempts, v_queue.max_attempts);
  v_count := jsonb_array_length(p_payloads);
  if v_count > 900000 then
    raise exception '% payloads are too many for one call', v_count using errcode = 'GM004', hint = 'Send 900,000 at the most.';
  end if;

  if v_kind.compiled_schema is not null then
    perform mill.check_fit(p_kind, v_kind.compiled_schema, p.payload, p.ordinality - 1)
    from jsonb_array_elements(p_payloads) with ordinality as p(payload, ordinality);
  end if;
  if v_kind.unique_by is not null or v_queue.depth_limit is not null or v_queue.draining or v_queue.dequeue = 'fair' or v_queue.max_running_per_group is not null then
    select array_agg(e.id order by e.ordinal) into v_ids
    from mill.enqueue((
      select coalesce(jsonb_agg(jsonb_build_object('kind', p_kind, 'payload', p.payload)), '[]')
      from jsonb_array_elements(p_payloads) as p(payload))) e;
    return coalesce(v_ids, '{}');
  end if;

  -- From 65,536 on, so that they all have five digits.
  v_ids := array(select mill.uuid7_at(v_turn, v_random || to_hex(65535 + n)) from generate_series(1, v_count) n);
  select l.line into v_line from mill.line l where l.queue = v_queue.queue and l.priority = 5;
  if v_count >= 20 and v_queue.batch_size >= 20 and not v_queue.counts_running and pg_column_size(p_payloads) <= 256 * v_count then
    insert into mill.pack (line, turn, first, last, batch, jobs, queue, kind, run_at, max_attempts, ids, payloads)
    select v_line, v_turn + min(p.ordinality), v_ids[min(p.ordinality)], v_ids[max(p.ordinality)], v_ids[1], count(*),
      v_queue.queue, p_kind, v_now, v_queue.max_attempts, array_agg(p.id), array_agg(p.payload)
    from rows from (unnest(v_ids), jsonb_array_elements(p_payloads)) with ordinality as p(id, payload, ordinality)
    where mill.check_payload(p.payload, v_max_bytes, p.ordinality - 1)
    group by (p.ordinality - 1) / least(v_queue.batch_size, 100);
  else
    -- By way of mill.job: straight into job_live a row is formed first and taken apart again for its checks: 3% more instructions.
    insert into mill.job (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
    select p.id, v_line, v_turn + p.ordinality, v_queue.queue, p_kind, p.payload, 'pending', v_now, v_queue.max_attempts, v_now
    from rows from (unnest(v_ids), jsonb_array_elements(p_payloads)) with ordinality as p(id, payload, ordinality)
    where mill.check_payload(p.payload, v_max_bytes, p.ordinality - 1);
  end if;
  perform mill.wake(v_queue);
  return v_ids;
end
$$;

comment on function mill.enqueue_many(text, jsonb) is
  'Enqueues a job of one kind for each payload of an array; answers their ids in that order, null for one that was throttled.';
revoke execute on function mill.enqueue_many(text, jsonb) from public;
-- The application's own transactions: with mill.send_event the only functions of mill that another role may call.
do $$
begin
  if to_regrole('gristmill_app') is not null then
    grant usage on schema mill to gristmill_app;
    grant execute on function mill.enqueue_many(text, jsonb) to gristmill_app;
  end if;
end
$$;
