-- The role is read from claims that only an administrator can write: app_metadata of Supabase, or a claim of the token itself.
-- user_metadata never counts, because users write it themselves.
create or replace function mill.console_role() returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_claims jsonb := auth.jwt();
  v_path text[] := string_to_array(nullif(mill.setting('console.role_claim', ''), ''), '.');
  v_role text;
begin
  if v_claims ->> 'role' = 'service_role' then
    -- gristmill console holds the service key for an operator, and may say that it acts with a lower role.
    v_role := coalesce(nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-gristmill-console-role', 'admin');
  elsif v_claims ->> 'role' is distinct from 'authenticated' or v_path[1] = 'user_metadata' then
    return null;
  elsif v_path is not null then
    v_role := v_claims #>> v_path;
  else
    v_role := coalesce(v_claims #>> '{app_metadata,gristmill_role}', v_claims ->> 'gristmill_role');
  end if;
  return case when v_role in ('viewer', 'operator', 'admin') then v_role end;
end
$$;

comment on function mill.console_role() is 'The caller''s role in the console: viewer, operator, admin, or null for anybody else.';
revoke execute on function mill.console_role() from public;
