-- Every name comes from the catalog or was checked against it, and is quoted.
create or replace function mill.upsert_statement(p_type public.data_type_registry, p_columns text[]) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select format('insert into %s (%s, %I) select %s, $2 from jsonb_populate_recordset(null::%s, $1) r on conflict (%s) do update set %s',
    mill.data_table(p_type.table_name),
    (select string_agg(format('%I', c), ', ') from unnest(p_columns) c), p_type.timestamp_column,
    (select string_agg(format('r.%I', c), ', ') from unnest(p_columns) c), mill.data_table(p_type.table_name),
    (select string_agg(format('%I', a.attname), ', ')
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
     where i.indrelid = mill.data_table(p_type.table_name) and i.indisprimary),
    (select string_agg(format('%1$I = excluded.%1$I', c), ', ') from unnest(p_columns || p_type.timestamp_column) c))
$$;

comment on function mill.upsert_statement(public.data_type_registry, text[]) is 'The statement that writes rows ($1) of a data type as fetched at $2.';
revoke execute on function mill.upsert_statement(public.data_type_registry, text[]) from public;
