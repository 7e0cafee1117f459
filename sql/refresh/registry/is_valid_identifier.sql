create or replace function public.is_valid_identifier(p_identifier text) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select coalesce(p_identifier ~ '^[a-z_][a-z0-9_]{0,62}$', false) $$;

comment on function public.is_valid_identifier(text) is 'Whether a name may stand for a table, column or function in the registry.';
revoke execute on function public.is_valid_identifier(text) from public, anon;
grant execute on function public.is_valid_identifier(text) to authenticated, service_role;
