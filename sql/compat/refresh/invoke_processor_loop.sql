-- The documented loop is the pump, which serves every queue. It skips while another run is at it.
create or replace procedure public.invoke_processor_loop()
language plpgsql
as $$
begin
  call mill.pump();
end
$$;

comment on procedure public.invoke_processor_loop() is 'The pump under its documented name.';
revoke execute on procedure public.invoke_processor_loop() from public, anon, authenticated, service_role;
