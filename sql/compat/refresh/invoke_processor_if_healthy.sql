create or replace function public.invoke_processor_if_healthy() returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  if not mill.entry_lock('invoke-processor') or not mill.has_pending('refresh') then
    return false;
  end if;
  return mill.invoke('refresh', 'pump') is not null; -- null while the breaker is open
end
$$;

comment on function public.invoke_processor_if_healthy() is 'Asks for one invocation of the processor when refreshes are due and its breaker allows it.';
revoke execute on function public.invoke_processor_if_healthy() from public, anon, authenticated;
grant execute on function public.invoke_processor_if_healthy() to service_role;
