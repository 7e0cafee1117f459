-- Looks at the limit that the kind's queue is configured with: past its threshold, or more jobs waiting for it than its
-- queue_depth_limit. Counting stops at that limit.
create or replace function mill.backpressure_delay(p_kind text) returns interval
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(max(make_interval(secs => l.backpressure_delay_seconds)), interval '0')
  from mill.kind k
  join mill.queue q on q.queue = k.queue
  join mill.api_rate_limits l on l.provider_name = q.provider and l.api_endpoint = q.endpoint
  cross join lateral mill.api_capacity_left(l, mill.now()) r
  where k.kind = p_kind
    and (r.pressure >= l.backpressure_threshold or l.blocked_until > mill.now() or l.queue_depth_limit <= mill.depth(q.queue, l.queue_depth_limit))
$$;

comment on function mill.backpressure_delay(text) is 'How long a new job of a kind is put off for its provider''s sake.';
revoke execute on function mill.backpressure_delay(text) from public;
