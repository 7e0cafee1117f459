-- Called first by every console RPC. A sub that is no UUID would fail later, in the middle of an action: auth.uid() casts it.
create or replace function mill.require_console(p_role text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_order constant text[] := array['viewer', 'operator', 'admin'];
  v_role text := mill.console_role();
  v_sub text := auth.jwt() ->> 'sub';
begin
  if coalesce(array_position(v_order, v_role), 0) < array_position(v_order, p_role) then
    raise exception 'this needs the console role %; your token has %', p_role, coalesce('the role ' || v_role, 'none') using errcode = '42501',
      hint = 'An administrator gives it: app_metadata.gristmill_role of the user on Supabase, or the claim gristmill_role of the token. Then sign in again. See docs/console.md.';
  end if;
  if v_sub !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then
    raise exception 'the sub of your token is not a UUID, so the audit log could not name you' using errcode = '42501',
      hint = 'Sign in with a token whose sub is the UUID of a user.';
  end if;
  return v_role;
end
$$;

comment on function mill.require_console(text) is 'The caller''s console role; refuses with 42501 when it is lower than the one that is needed.';
revoke execute on function mill.require_console(text) from public;
