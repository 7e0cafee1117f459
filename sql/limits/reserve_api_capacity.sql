create or replace function public.reserve_api_capacity(
  p_provider_name text, p_api_endpoint text, p_estimated_tokens bigint default 1000)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit mill.api_rate_limits := mill.api_limit(p_provider_name, p_api_endpoint);
  v_tokens bigint := greatest(coalesce(p_estimated_tokens, 1000), 0);
begin
  if v_tokens > least(v_limit.tokens_per_minute, v_limit.tokens_per_hour) then
    raise exception '% tokens are more than % / % ever admits at once', v_tokens, p_provider_name, p_api_endpoint
      using errcode = 'GM021', hint = 'Split the request, or raise the limit.';
  end if;
  return mill.grant_api_capacity(p_provider_name, p_api_endpoint, v_tokens, false);
end
$$;

comment on function public.reserve_api_capacity(text, text, bigint) is
  'Reserves one call of a provider with its estimated tokens: {granted, lease_id, …} or {granted: false, reason, retry_after_seconds}.';
revoke execute on function public.reserve_api_capacity(text, text, bigint) from public, anon, authenticated;
grant execute on function public.reserve_api_capacity(text, text, bigint) to service_role;
