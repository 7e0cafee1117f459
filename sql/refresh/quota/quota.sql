create or replace function mill.quota_used(p_days int) returns bigint
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum(u.data_size_bytes), 0)::bigint from public.api_data_usage u where u.created_at > mill.now() - make_interval(days => p_days)
$$;

comment on function mill.quota_used(int) is 'Bytes that the wire carried within the rolling days.';
revoke execute on function mill.quota_used(int) from public;

-- What is being fetched now, by its estimate, in every refresh queue.
create or replace function mill.quota_in_flight() returns bigint
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum((j.payload ->> 'estimated_size')::bigint), 0)::bigint
  from mill.queue q join mill.job_live j on j.slot = q.queue
  where q.queue ~ '^refresh(-|$)'
$$;

comment on function mill.quota_in_flight() is 'Estimated bytes of the refreshes under way.';
revoke execute on function mill.quota_in_flight() from public;

-- The batch that the next claim of each refresh queue would take.
create or replace function mill.quota_next_batch() returns bigint
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
  select coalesce(sum((n.payload ->> 'estimated_size')::bigint), 0)::bigint
  from mill.queue q
  cross join lateral (
    select j.payload
    from (select f.line, f.turn from mill.floor f where f.queue = q.queue order by f.priority desc) f
    cross join lateral (
      select j.payload from mill.job_live j
      where j.line = f.line and j.turn >= f.turn and not j.waits and j.state = 'pending'
      order by j.turn limit q.batch_size) j
    limit q.batch_size) n
  where q.queue ~ '^refresh(-|$)'
$$;

comment on function mill.quota_next_batch() is 'Estimated bytes of the batches that would be served next.';
revoke execute on function mill.quota_next_batch() from public;

-- A GB is 2^30 bytes.
create or replace function mill.quota_limit(p_quota_gb numeric, p_safety_buffer numeric) returns numeric
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(p_quota_gb, mill.setting('refresh.quota_gb', '20')::numeric) * 1073741824
    * coalesce(p_safety_buffer, mill.setting('refresh.quota_buffer', '0.95')::numeric)
$$;

comment on function mill.quota_limit(numeric, numeric) is 'Bytes that may be used before serving stops; settings where an argument is null.';
revoke execute on function mill.quota_limit(numeric, numeric) from public;
