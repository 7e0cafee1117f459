-- SECURITY DEFINER: whoever edits a document has no rights in mill. auth.uid() would still be the caller's, it reads the claims.
create or replace function mill.count_document_version() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- An upsert sets every column that was sent, the id among them. So users may set the id, to what it is.
  if new.id <> old.id then
    raise exception 'the id of a document cannot change' using errcode = '42501';
  end if;
  if (new.title, new.data) is distinct from (old.title, old.data) then
    new.version := old.version + 1;
    new.updated_at := mill.now();
  end if;
  return new;
end
$$;

comment on function mill.count_document_version() is 'Counts a change of title or data as a new version, and refuses a change of the id.';
revoke execute on function mill.count_document_version() from public;

drop trigger if exists documents_count_versions on public.documents;
create trigger documents_count_versions before update on public.documents
  for each row execute function mill.count_document_version();
