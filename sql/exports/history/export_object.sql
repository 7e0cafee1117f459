-- A compat worker says where its file is by a path in the bucket exports, by that path behind the bucket's name, or by any URL that
-- the Storage API gives out for it.
create or replace function mill.export_object(p_said text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select 'exports:' || coalesce(
    substring(p_said from '/storage/v1/(?:object|render/image)/(?:sign/|public/|authenticated/)?exports/([^?#]+)'),
    substring(p_said from '^(?:exports/)?([^:/?#]+/[^:?#]+)$'))
$$;

comment on function mill.export_object(text) is 'The object that a path or a URL of the bucket exports means; null for anything else.';
revoke execute on function mill.export_object(text) from public;

create or replace function mill.export_expiry() returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select mill.now() + make_interval(days => mill.setting('exports.expire_days', '7')::int) $$;

comment on function mill.export_expiry() is 'Until when a file that is stored now can be downloaded.';
revoke execute on function mill.export_expiry() from public;

create or replace function mill.export_file_name(p_title text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select coalesce(nullif(btrim(left(regexp_replace(p_title, '[[:cntrl:]/\\:*?"<>|]+', ' ', 'g'), 120), ' .'), ''), 'document') || '.pdf' $$;

comment on function mill.export_file_name(text) is 'A title as the name of a file.';
revoke execute on function mill.export_file_name(text) from public;
