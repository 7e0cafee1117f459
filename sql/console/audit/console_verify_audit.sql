-- The last 31 days: longer spans are for the service, by verify_audit_log.
create or replace function public.console_verify_audit() returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_console('operator');
  return public.verify_audit_log((mill.now() at time zone 'UTC')::date - 30);
end
$$;

comment on function public.console_verify_audit() is 'Checks the chain of the audit log of the last 31 days: {ok, days, rows, findings, head}. For operators of the console.';
revoke execute on function public.console_verify_audit() from public, anon;
grant execute on function public.console_verify_audit() to authenticated, service_role;
