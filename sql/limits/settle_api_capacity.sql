-- A lease that has expired meanwhile is settled all the same, and none is settled twice.
create or replace function public.settle_api_capacity(p_lease_id uuid, p_actual_tokens bigint default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease mill.api_lease;
begin
  select l.* into v_lease from mill.api_lease l where l.id = p_lease_id and not l.is_settled for update;
  if not found then
    return false;
  end if;
  perform mill.end_api_lease(v_lease, p_actual_tokens);
  return true;
end
$$;

comment on function public.settle_api_capacity(uuid, bigint) is
  'Gives back what reserve_api_capacity granted and settles the actual tokens; false when there was nothing to give back.';
revoke execute on function public.settle_api_capacity(uuid, bigint) from public, anon, authenticated;
grant execute on function public.settle_api_capacity(uuid, bigint) to service_role;
