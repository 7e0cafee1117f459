create or replace function public.queue_refresh_if_not_exists(
  p_symbol text, p_data_type text, p_priority int default 5, p_estimated_size bigint default null)
returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type public.data_type_registry;
begin
  perform mill.require_primary();
  select r.* into v_type from public.data_type_registry r where r.data_type = p_data_type and r.is_enabled;
  if not found then
    raise exception 'there is no data type "%"', p_data_type using errcode = 'GM036';
  end if;
  perform mill.queue_refreshes(v_type, array[p_symbol], coalesce(p_priority, 5), p_estimated_size);
end
$$;

comment on function public.queue_refresh_if_not_exists(text, text, int, bigint) is 'Queues one refresh unless it is queued already or the quota is used up.';
revoke execute on function public.queue_refresh_if_not_exists(text, text, int, bigint) from public, anon, authenticated;
grant execute on function public.queue_refresh_if_not_exists(text, text, int, bigint) to service_role;
