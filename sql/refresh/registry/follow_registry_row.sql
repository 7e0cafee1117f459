-- A data type is also a kind of job, in the queue of its function and provider, and its table is published.
-- Supabase Realtime sends what publication supabase_realtime names. A table of another owner cannot be published by us.
create or replace function mill.follow_registry_row() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into mill.kind (kind, queue, description, part)
  values ('refresh.' || new.data_type, mill.refresh_queue_of(new.edge_function_name, new.provider), 'Refresh of ' || new.data_type, 'refresh')
  on conflict (kind) do update set queue = excluded.queue;

  if not exists (
    select from pg_publication_tables t
    where t.pubname = 'supabase_realtime' and format('%I.%I', t.schemaname, t.tablename)::regclass = mill.data_table(new.table_name))
  then
    begin
      execute format('alter publication supabase_realtime add table %s', mill.data_table(new.table_name));
    exception when insufficient_privilege then
      insert into mill.event (at, code, detail) values (mill.now(), 'data_table_not_published',
        jsonb_build_object('data_type', new.data_type, 'table', new.table_name, 'message', sqlerrm));
    end;
  end if;
  if not mill.is_our_fetcher(new.edge_function_name) then
    perform mill.warn_of_registry_row(new);
  end if;
  return null;
end
$$;

comment on function mill.follow_registry_row() is 'Trigger: what follows from a row of data_type_registry.';
revoke execute on function mill.follow_registry_row() from public;

create or replace trigger a_data_type_is_a_kind_and_published
after insert or update of table_name, edge_function_name, provider on public.data_type_registry
for each row execute function mill.follow_registry_row();
