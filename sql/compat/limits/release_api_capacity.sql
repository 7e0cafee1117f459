-- The compatible call names no lease. It ends the oldest open one that acquire_api_capacity gave out with that estimate, else the
-- oldest of that provider and endpoint: whose it was makes no difference to the sums. What reserve_api_capacity gave out stays.
create or replace function public.release_api_capacity(
  p_provider_name text, p_api_endpoint text, p_estimated_tokens int default 1000, p_actual_tokens int default null)
returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease mill.api_lease;
begin
  perform mill.api_limit(p_provider_name, p_api_endpoint);
  select l.* into v_lease from mill.api_lease l
  where l.provider = p_provider_name and l.endpoint = p_api_endpoint and l.ended_at is null and l.is_compat
  order by (l.tokens <> coalesce(p_estimated_tokens, 1000)), l.taken_at
  limit 1
  for update skip locked;
  if found then
    perform mill.end_api_lease(v_lease, p_actual_tokens);
  end if;
end
$$;

comment on function public.release_api_capacity(text, text, int, int) is
  'Gives back a call that acquire_api_capacity reserved and settles its actual tokens; without them the estimate stands.';
revoke execute on function public.release_api_capacity(text, text, int, int) from public, anon, authenticated;
grant execute on function public.release_api_capacity(text, text, int, int) to service_role;
