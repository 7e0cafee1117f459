create or replace function mill.is_enabled(p_feature text) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select mill.setting('features.' || p_feature || '_enabled', 'false') = 'true' $$;

comment on function mill.is_enabled(text) is 'Whether a feature flag of mill.settings is on.';
revoke execute on function mill.is_enabled(text) from public;
