create or replace function public.report_api_rate_limit(
  p_provider_name text, p_api_endpoint text, p_retry_after_seconds int default null)
returns timestamptz
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit mill.api_rate_limits := mill.api_limit(p_provider_name, p_api_endpoint);
  v_now timestamptz := mill.now();
begin
  update mill.api_rate_limits l set
    provider_refusals = l.provider_refusals + 1,
    last_rate_limit_hit = v_now,
    -- An hour at the most: a provider's mistake must not stop a queue for a year.
    blocked_until = greatest(l.blocked_until, v_now + make_interval(
      secs => least(greatest(coalesce(p_retry_after_seconds, l.backpressure_delay_seconds), 0), 3600)))
  where l.provider_name = p_provider_name and l.api_endpoint = p_api_endpoint
  returning l.* into v_limit;
  insert into mill.event (at, code, detail) values (v_now, 'rate_limited',
    jsonb_build_object('provider', p_provider_name, 'endpoint', p_api_endpoint));
  return v_limit.blocked_until;
end
$$;

comment on function public.report_api_rate_limit(text, text, int) is
  'A provider said 429: nobody is let through for its Retry-After, or for the limit''s own delay. Answers until when.';
revoke execute on function public.report_api_rate_limit(text, text, int) from public, anon, authenticated;
grant execute on function public.report_api_rate_limit(text, text, int) to service_role;
