-- What each limit has given out in the windows that count now, as mill.api_capacity_left sums it. The clock is that of mill.now(), written out: the
-- views above this one run with the rights of their callers, who may call nothing of mill.
--
-- Windows slide, so there is no one moment at which they are empty again: reset_at is when the first call of the window leaves it.
create or replace view mill.api_use_now as
select l.provider_name, l.api_endpoint, m.requests as requests_minute, m.tokens as tokens_minute, h.requests as requests_hour, h.tokens as tokens_hour,
  s.slots as active, coalesce(m.first, n.at) + interval '1 minute' as minute_reset_at, coalesce(h.first, n.at) + interval '1 hour' as hour_reset_at
from mill.api_rate_limits l
cross join (select coalesce(nullif(current_setting('mill.now', true), '')::timestamptz, clock_timestamp()) as at offset 0) n
cross join lateral (
  select coalesce(sum(u.requests), 0)::int as requests, coalesce(sum(u.tokens), 0)::bigint as tokens, min(u.at) as first
  from mill.api_use u
  where u.provider = l.provider_name and u.endpoint = l.api_endpoint and u.at > n.at - interval '1 minute') m
cross join lateral (
  select coalesce(sum(a.requests), 0)::int as requests, coalesce(sum(a.tokens), 0)::bigint as tokens, min(a.at) as first
  from (
    select u.requests, u.tokens, u.at from mill.api_use u
    where u.provider = l.provider_name and u.endpoint = l.api_endpoint and u.at > n.at - interval '1 hour'
    union all
    select u.requests, u.tokens, u.minute from mill.api_use_minute u
    where u.provider = l.provider_name and u.endpoint = l.api_endpoint and u.minute > n.at - interval '61 minutes') a) h
cross join lateral (
  select (
    select count(*) from mill.queue q join mill.job_live j on j.slot = q.queue
    where q.provider = l.provider_name and q.endpoint = l.api_endpoint and j.lease_until > n.at)::int + (
    select count(*) from mill.api_lease e
    where e.provider = l.provider_name and e.endpoint = l.api_endpoint and e.ended_at is null and e.expires_at > n.at)::int as slots) s;

comment on view mill.api_use_now is 'Requests and tokens of the last minute and hour of each limit, and the calls under way.';
