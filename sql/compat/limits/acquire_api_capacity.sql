-- The compatible call: a plain yes or no, so that `if (await acquire())` holds the limit. An estimate that the limit never admits
-- is a no as well, where reserve_api_capacity raises.
create or replace function public.acquire_api_capacity(
  p_provider_name text, p_api_endpoint text, p_estimated_tokens int default 1000)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit mill.api_rate_limits := mill.api_limit(p_provider_name, p_api_endpoint);
begin
  if v_limit.status <> 'active' then
    raise exception 'the rate limit of % / % is not active', p_provider_name, p_api_endpoint
      using errcode = 'GM020', detail = format('Its status is %s.', v_limit.status);
  end if;
  return (mill.grant_api_capacity(p_provider_name, p_api_endpoint, greatest(coalesce(p_estimated_tokens, 1000), 0), true) ->> 'granted')::boolean;
end
$$;

comment on function public.acquire_api_capacity(text, text, int) is
  'Whether a provider may be called now; true reserves the call and its estimated tokens. GM020 without an active limit.';
revoke execute on function public.acquire_api_capacity(text, text, int) from public, anon, authenticated;
grant execute on function public.acquire_api_capacity(text, text, int) to service_role;
