create or replace function public.can_access_object(p_key text) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return mill.may_object('read', p_key);
end
$$;

comment on function public.can_access_object(text) is 'Whether the caller may read an object, or list below a prefix that ends in "/".';
revoke execute on function public.can_access_object(text) from public, anon;
grant execute on function public.can_access_object(text) to authenticated, service_role;
