create or replace function mill.count_document_version() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if (new.title, new.data) is distinct from (old.title, old.data) then
    new.version := old.version + 1;
    new.updated_at := mill.now();
  end if;
  return new;
end
$$;

comment on function mill.count_document_version() is 'Counts a change of title or data as a new version.';
revoke execute on function mill.count_document_version() from public;

drop trigger if exists documents_count_versions on public.documents;
create trigger documents_count_versions before update on public.documents
  for each row execute function mill.count_document_version();
