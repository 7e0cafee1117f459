-- The limits of providers under their compatible name. Simple and therefore updatable: INSERT … ON CONFLICT (provider_name, api_endpoint) works.
create or replace view public.api_rate_limits as
select l.provider_name, l.api_endpoint, l.requests_per_minute, l.requests_per_hour, l.tokens_per_minute, l.tokens_per_hour,
  l.concurrent_requests, l.backpressure_threshold, l.backpressure_delay_seconds, l.queue_depth_limit, l.lease_seconds, l.status,
  l.last_rate_limit_hit, l.rate_limit_violations, l.provider_refusals, l.blocked_until, l.created_at, l.updated_at
from mill.api_rate_limits l;

comment on view public.api_rate_limits is 'What each provider admits; null is no limit. disabled and maintenance: no call is granted.';
revoke all on public.api_rate_limits from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.api_rate_limits to service_role;
