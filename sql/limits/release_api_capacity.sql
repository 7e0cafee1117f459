-- Gives a slot back and settles what was really used against the window in which it was taken. The documented call
-- names no lease: it ends the oldest open one with that estimate, else the oldest; whose it was makes no difference
-- to the sums. A lease that has expired meanwhile is settled all the same, and none is settled twice.
create or replace function public.release_api_capacity(
  p_provider_name text, p_api_endpoint text, p_estimated_tokens bigint default 1000, p_actual_tokens bigint default null,
  p_lease_id uuid default null)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease mill.api_lease;
begin
  perform mill.api_limit(p_provider_name, p_api_endpoint);
  if p_lease_id is not null then
    select l.* into v_lease from mill.api_lease l
    where l.id = p_lease_id and l.provider = p_provider_name and l.endpoint = p_api_endpoint and not l.is_settled
    for update;
  else
    select l.* into v_lease from mill.api_lease l
    where l.provider = p_provider_name and l.endpoint = p_api_endpoint and l.ended_at is null
    order by (l.tokens <> coalesce(p_estimated_tokens, 1000)), l.taken_at
    limit 1
    for update skip locked;
  end if;
  if v_lease.id is null then
    return false;
  end if;

  update mill.api_lease l set ended_at = coalesce(l.ended_at, mill.now()), is_settled = true where l.id = v_lease.id;
  insert into mill.api_use (at, tokens, requests, provider, endpoint)
  select v_lease.taken_at, greatest(p_actual_tokens, 0) - v_lease.tokens, 0, v_lease.provider, v_lease.endpoint
  where p_actual_tokens is not null and greatest(p_actual_tokens, 0) <> v_lease.tokens;
  return true;
end
$$;

comment on function public.release_api_capacity(text, text, bigint, bigint, uuid) is
  'Gives back a slot and settles the actual tokens; false when there was nothing to give back.';
revoke execute on function public.release_api_capacity(text, text, bigint, bigint, uuid) from public, anon, authenticated;
grant execute on function public.release_api_capacity(text, text, bigint, bigint, uuid) to service_role;
