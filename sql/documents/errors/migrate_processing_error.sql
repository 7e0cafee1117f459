-- Databases of the older system have processing_error as TEXT; its text is kept as legacy_error.
create or replace function mill.migrate_processing_error() returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if (select a.atttypid from pg_attribute a where a.attrelid = 'public.shell_files'::regclass and a.attname = 'processing_error') = 'jsonb'::regtype then
    return false;
  end if;
  alter table public.shell_files
    alter column processing_error drop default,
    alter column processing_error type jsonb using
      case when processing_error is null then '{}'::jsonb else jsonb_build_object('legacy_error', processing_error) end,
    alter column processing_error set default '{}',
    alter column processing_error set not null;
  return true;
end
$$;

comment on function mill.migrate_processing_error() is 'Turns a TEXT processing_error into jsonb; false when it already is.';
revoke execute on function mill.migrate_processing_error() from public;
select mill.migrate_processing_error();
