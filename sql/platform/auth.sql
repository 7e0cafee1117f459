-- Who is calling, read from the claims that the gateway sets for each request. Supabase brings its own
-- auth.uid() and auth.jwt(); those are left alone.
do $outer$
begin
  if to_regnamespace('auth') is null then
    create schema auth;
    grant usage on schema auth to anon, authenticated, service_role;
  end if;

  if to_regprocedure('auth.jwt()') is null then
    -- An empty request.jwt.claims is not JSON: Postgres resets a setting to '' once it was set locally.
    create function auth.jwt() returns jsonb
    language sql stable
    set search_path = pg_catalog, pg_temp
    as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;
    comment on function auth.jwt() is 'The claims of the caller''s token, or null.';
  end if;

  if to_regprocedure('auth.uid()') is null then
    create function auth.uid() returns uuid
    language sql stable
    set search_path = pg_catalog, pg_temp
    as $$ select (auth.jwt() ->> 'sub')::uuid $$;
    comment on function auth.uid() is 'The user that the caller''s token names, or null.';
  end if;
end
$outer$;

create or replace function public.is_service_role() returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select coalesce(auth.jwt() ->> 'role', '') = 'service_role' $$;

comment on function public.is_service_role() is 'Whether the caller''s token carries the service role.';
revoke execute on function public.is_service_role() from public;
grant execute on function public.is_service_role() to anon, authenticated, service_role;
