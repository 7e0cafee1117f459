-- One request could insert as many rows as fit into its body: 50,000 took a connection for seconds.
create or replace function mill.bound_inserted_documents() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.refuse_excess(auth.uid(), 'documents', (select count(*)::int from inserted));
  return null;
end
$$;

comment on function mill.bound_inserted_documents() is 'A statement trigger: refuses with GM015 what a user inserts above the setting users.documents_per_minute.';
revoke execute on function mill.bound_inserted_documents() from public, anon, authenticated;

drop trigger if exists inserted_documents_are_bounded on public.documents;
create trigger inserted_documents_are_bounded after insert on public.documents
  referencing new table as inserted for each statement execute function mill.bound_inserted_documents();
