-- The limits of providers under their compatible name. Simple and therefore updatable: INSERT … ON CONFLICT (provider_name, api_endpoint) works.
-- Current use is computed when the view is read; nobody writes it. The defaults are the compatible ones, for rows that are inserted here: in
-- mill.api_rate_limits a limit that is not named is none.
--
-- coalesce: what an INSERT returns is computed before its own row is there to be seen.
create or replace view public.api_rate_limits as
select l.id, l.provider_name, l.api_endpoint, l.requests_per_minute, l.requests_per_hour, l.tokens_per_minute, l.tokens_per_hour, l.concurrent_requests,
  coalesce((select u.requests_minute from mill.api_use_now u where u.provider_name = l.provider_name and u.api_endpoint = l.api_endpoint), 0) as current_requests_minute,
  coalesce((select u.requests_hour from mill.api_use_now u where u.provider_name = l.provider_name and u.api_endpoint = l.api_endpoint), 0) as current_requests_hour,
  coalesce((select u.tokens_minute from mill.api_use_now u where u.provider_name = l.provider_name and u.api_endpoint = l.api_endpoint), 0) as current_tokens_minute,
  coalesce((select u.tokens_hour from mill.api_use_now u where u.provider_name = l.provider_name and u.api_endpoint = l.api_endpoint), 0) as current_tokens_hour,
  coalesce((select u.active from mill.api_use_now u where u.provider_name = l.provider_name and u.api_endpoint = l.api_endpoint), 0) as active_requests,
  coalesce((select u.minute_reset_at from mill.api_use_now u where u.provider_name = l.provider_name and u.api_endpoint = l.api_endpoint), now() + interval '1 minute') as minute_reset_at,
  coalesce((select u.hour_reset_at from mill.api_use_now u where u.provider_name = l.provider_name and u.api_endpoint = l.api_endpoint), now() + interval '1 hour') as hour_reset_at,
  l.backpressure_threshold, l.backpressure_delay_seconds, l.queue_depth_limit, l.status, l.last_rate_limit_hit, l.rate_limit_violations,
  l.created_at, l.updated_at, l.lease_seconds, l.provider_refusals, l.blocked_until
from mill.api_rate_limits l;

alter view public.api_rate_limits alter requests_per_minute set default 60;
alter view public.api_rate_limits alter concurrent_requests set default 10;
alter view public.api_rate_limits alter backpressure_threshold set default 0.8;
alter view public.api_rate_limits alter backpressure_delay_seconds set default 5;
alter view public.api_rate_limits alter queue_depth_limit set default 1000;

comment on view public.api_rate_limits is 'What each provider admits and what of it is in use; null is no limit. disabled and maintenance: no call is granted.';
revoke all on public.api_rate_limits from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.api_rate_limits to service_role;
