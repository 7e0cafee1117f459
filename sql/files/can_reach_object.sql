create or replace function public.can_reach_object(p_act text, p_bucket text, p_key text) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return mill.may_object(p_act, p_key, p_bucket);
end
$$;

comment on function public.can_reach_object(text, text, text) is
  'Whether the caller may read, write or remove an object of any bucket; read: or list below a prefix that ends in "/".';
revoke execute on function public.can_reach_object(text, text, text) from public, anon;
grant execute on function public.can_reach_object(text, text, text) to authenticated, service_role;
