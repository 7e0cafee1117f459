create or replace function public.invoke_processor_if_healthy() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  if mill.entry_lock('invoke-processor') and mill.has_pending('refresh') then
    perform mill.invoke('refresh', 'pump');
  end if;
end
$$;

comment on function public.invoke_processor_if_healthy() is 'Asks for one invocation of the processor when refreshes are due and its breaker allows it.';
revoke execute on function public.invoke_processor_if_healthy() from public, anon, authenticated;
grant execute on function public.invoke_processor_if_healthy() to service_role;
