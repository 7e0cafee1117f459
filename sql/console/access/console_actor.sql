-- Whoever holds the service key for an operator names the operator in a header: gristmill console does.
create or replace function mill.console_actor() returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_claims jsonb := auth.jwt();
begin
  return jsonb_build_object('sub', v_claims ->> 'sub', 'email', left(case
    when v_claims ->> 'role' = 'service_role'
      then coalesce(nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-gristmill-actor', v_claims ->> 'email')
    else v_claims ->> 'email' end, 200));
end
$$;

comment on function mill.console_actor() is 'Who uses the console, as {sub, email}.';
revoke execute on function mill.console_actor() from public;
