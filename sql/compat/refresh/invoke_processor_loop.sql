-- The compatible loop is the pump, which serves every queue. This is one round of it: an RPC is one transaction, and requests leave when
-- it commits. Cron runs the rounds (process-queue-batch).
create or replace function public.invoke_processor_loop() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  if mill.entry_lock('invoke-processor-loop') then
    perform mill.pump_once();
  end if;
end
$$;

comment on function public.invoke_processor_loop() is 'One round of the pump: reclaims, promotes and invokes. Does nothing while another call is at it.';
revoke execute on function public.invoke_processor_loop() from public, anon, authenticated;
grant execute on function public.invoke_processor_loop() to service_role;
