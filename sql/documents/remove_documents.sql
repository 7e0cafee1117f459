-- compat accepts the six stages also without documents: it gets them back, in the queue for the user's own workers.
create or replace function mill.remove_documents() returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  update mill.kind k set part = 'compat', queue = 'standard'
  where k.part = 'documents' and k.kind ~ '^(fast|ai)_queue_' and exists (select from mill.part p where p.part = 'compat')
$$;

comment on function mill.remove_documents() is 'Leaves the stages of documents to compat. For mill.forget_part alone.';
revoke execute on function mill.remove_documents() from public;
