-- The on-subscribe check: one symbol, the types on the page. Users call it, so it reads and queues with the owner's rights
-- and takes nothing on trust: unknown symbols and types are left out, and a user's priority stays within bounds.
create or replace function public.check_and_queue_stale_batch(p_symbol text, p_data_types text[], p_priority int default 5) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type public.data_type_registry;
  v_priority int := case when public.is_service_role() then p_priority else greatest(0, least(p_priority, 10)) end;
  v_queued int := 0;
begin
  perform mill.require_primary();
  if not exists (select from public.supported_symbols s where s.symbol = p_symbol and s.is_active) then
    return 0;
  end if;
  for v_type in
    select r.* from public.data_type_registry r where r.data_type = any (p_data_types) and r.is_enabled order by r.data_type
  loop
    v_queued := v_queued + mill.queue_stale(v_type, array[p_symbol], v_priority);
  end loop;
  return v_queued;
end
$$;

comment on function public.check_and_queue_stale_batch(text, text[], int) is 'Queues what is missing or stale of a symbol; says how many refreshes were new.';
revoke execute on function public.check_and_queue_stale_batch(text, text[], int) from public, anon;
grant execute on function public.check_and_queue_stale_batch(text, text[], int) to authenticated, service_role;
