-- plpgsql and not SQL: its plan is kept, where an SQL function's is made by every call. One statement, so that folding beside it is seen whole or not at all. Null means no limit; least() and greatest()
-- leave nulls out. wait is when the first grant falls out of the window that is full.
create or replace function mill.api_capacity_left(p_limit mill.api_rate_limits, p_now timestamptz)
returns table (requests bigint, tokens bigint, slots int, pressure numeric, wait interval)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select
    least(p_limit.requests_per_minute - m.requests, p_limit.requests_per_hour - h.requests)::bigint,
    least(p_limit.tokens_per_minute - m.tokens, p_limit.tokens_per_hour - h.tokens)::bigint,
    p_limit.concurrent_requests - s.slots,
    coalesce(greatest(
      m.requests::numeric / p_limit.requests_per_minute, h.requests::numeric / p_limit.requests_per_hour,
      m.tokens::numeric / p_limit.tokens_per_minute, h.tokens::numeric / p_limit.tokens_per_hour,
      s.slots::numeric / p_limit.concurrent_requests), 0),
    greatest(
      case when h.requests >= p_limit.requests_per_hour or h.tokens >= p_limit.tokens_per_hour
        then h.first + interval '61 minutes' - p_now end,
      m.first + interval '1 minute' - p_now,
      interval '0')
  from (
    select coalesce(sum(u.requests), 0) as requests, coalesce(sum(u.tokens), 0) as tokens, min(u.at) as first
    from mill.api_use u
    where u.provider = p_limit.provider_name and u.endpoint = p_limit.api_endpoint and u.at > p_now - interval '1 minute') m
  cross join (
    select coalesce(sum(a.requests), 0) as requests, coalesce(sum(a.tokens), 0) as tokens, min(a.at) as first
    from (
      select u.requests, u.tokens, u.at from mill.api_use u
      where u.provider = p_limit.provider_name and u.endpoint = p_limit.api_endpoint and u.at > p_now - interval '1 hour'
      union all
      select u.requests, u.tokens, u.minute from mill.api_use_minute u
      where u.provider = p_limit.provider_name and u.endpoint = p_limit.api_endpoint and u.minute > p_now - interval '61 minutes'
    ) a
    where p_limit.requests_per_hour is not null or p_limit.tokens_per_hour is not null) h
  cross join (
    select (
      select count(*) from mill.queue q join mill.job_live j on j.slot = q.queue
      where q.provider = p_limit.provider_name and q.endpoint = p_limit.api_endpoint and j.lease_until > p_now
        and p_limit.concurrent_requests is not null)::int + (
      select count(*) from mill.api_lease l
      where l.provider = p_limit.provider_name and l.endpoint = p_limit.api_endpoint and l.ended_at is null and l.expires_at > p_now
        and p_limit.concurrent_requests is not null)::int as slots) s;
end
$$;

comment on function mill.api_capacity_left(mill.api_rate_limits, timestamptz) is
  'What a limit still admits: requests, tokens, slots (null: any number), how full its fullest measure is, and how long a wait is at least.';
revoke execute on function mill.api_capacity_left(mill.api_rate_limits, timestamptz) from public;
