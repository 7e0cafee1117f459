-- The way of batches that carry dedupe keys, go into queues with a depth limit, or have unique jobs. p_answered has the answers that are known
-- already: duplicates of unique jobs.
--
-- INSERT … ON CONFLICT DO NOTHING, not DO UPDATE: the update would lock live rows in the order of keys while
-- settle locks them in the order of ids, and the two would deadlock.
--
-- Lock order: keys of unique jobs, which the caller holds; dedupe keys, sorted, so two batches that share keys in another order wait for each other; then, when no key
-- is waited for any more, the live rows whose priority is raised, by id. A job that ends between the insert and the look
-- for it leaves its key free: the batch then starts over, in a new subtransaction that holds no key yet. Inserting
-- only what is left, with the other keys held, would break that order: tests/races/contention.test.mjs found
-- deadlocks here until the batch started over.
create or replace function mill.enqueue_keyed(
  p_jobs jsonb, p_now timestamptz, p_turn bigint, p_random text, p_max_bytes int,
  p_answered jsonb default null)
returns table (ordinal int, id uuid, status text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_capacity jsonb := mill.capacity_left(p_jobs);
  v_answers jsonb := coalesce(p_answered, '{}'); -- ordinal to {id, status}
begin
  loop
    begin
      with asked as materialized (
        select * from mill.parse_jobs(p_jobs, p_now, p_turn, p_random, p_max_bytes) a
        where p_answered is null or not p_answered ? a.at::text
      ),
      -- One row a key: a statement may not insert the same key twice.
      firsts as (
        select distinct on (a.queue, a.dedupe_key, case when a.dedupe_key is null then a.at end) a.*
        from asked a
        order by a.queue, a.dedupe_key, case when a.dedupe_key is null then a.at end, a.at
      ),
      admitted as (
        select f.* from firsts f
        where not v_capacity ? f.queue or (
          select count(*) from firsts o where o.queue = f.queue and o.at <= f.at
            and not exists (select from mill.job_live j where j.queue = o.queue and j.dedupe_key = o.dedupe_key)
          ) <= (v_capacity ->> f.queue)::int
        order by f.queue, f.dedupe_key
      ),
      written as (
        insert into mill.job_live (
          id, line, turn, queue, kind, name, category, payload, state, waits, priority, run_at, max_attempts,
          dedupe_key, group_key, lane, owner, parent, correlation_id, traceparent, created_at)
        select
          a.id, a.line, a.turn, a.queue, a.kind, a.name, a.category, a.payload, a.state, a.state = 'deferred', a.priority, a.run_at, a.max_attempts,
          a.dedupe_key, a.group_key, a.lane, a.owner, a.parent, a.correlation_id, a.traceparent, p_now
        from admitted a
        on conflict (queue, dedupe_key) where dedupe_key is not null do nothing
        returning job_live.id
      )
      select v_answers || coalesce(jsonb_object_agg(a.at, jsonb_build_object('id', a.id, 'status', 'new')), '{}')
      into v_answers
      from asked a join written w on w.id = a.id;

      v_answers := v_answers || mill.answer_duplicates(p_jobs, v_answers, p_now, p_turn, p_random, p_max_bytes);
      if v_capacity <> '{}' then
        v_answers := mill.answer_throttled(p_jobs, v_capacity) || v_answers;
      end if;
      exit when (select count(*) from jsonb_object_keys(v_answers)) = jsonb_array_length(p_jobs);
      raise exception 'a key became free' using errcode = 'GM099';
    exception when sqlstate 'GM099' then
      v_answers := coalesce(p_answered, '{}');
    end;
  end loop;
  if p_answered is not null then
    v_answers := mill.return_unique(p_jobs, v_answers, p_turn, p_random);
  end if;
  perform mill.raise_priority_of_duplicate(v_answers, p_now);

  return query
  select e.key::int, (e.value ->> 'id')::uuid, e.value ->> 'status'
  from jsonb_each(v_answers) e
  order by e.key::int;
end
$$;

comment on function mill.enqueue_keyed(jsonb, timestamptz, bigint, text, int, jsonb) is
  'Inserts a batch that has dedupe keys or unique jobs or may be throttled. For mill.enqueue alone.';
revoke execute on function mill.enqueue_keyed(jsonb, timestamptz, bigint, text, int, jsonb) from public;
