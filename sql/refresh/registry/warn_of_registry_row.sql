-- What is refused for a type that our processor writes is the user's own affair for a type that the user's processor writes. The user is told.
create or replace function mill.warn_of_registry_row(p_row public.data_type_registry) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_table regclass := mill.data_table(p_row.table_name);
begin
  insert into mill.event (at, code, detail)
  select mill.now(), w.code, jsonb_build_object('data_type', p_row.data_type, 'table', p_row.table_name, 'message', w.message)
  from (values
    ('row_level_security_missing', 'whoever may select from the table reads every row, also through Realtime: enable row level security',
      exists (select from pg_class c where c.oid = v_table and not c.relrowsecurity)),
    ('symbol_index_missing', 'no index begins with the symbol column, so every look at a symbol reads the whole table',
      not exists (
        select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = v_table and a.attname = p_row.symbol_column))
    ) w(code, message, applies)
  where w.applies;
end
$$;

comment on function mill.warn_of_registry_row(public.data_type_registry) is 'Records what is doubtful about the table of a data type that a program of the user writes.';
revoke execute on function mill.warn_of_registry_row(public.data_type_registry) from public;
