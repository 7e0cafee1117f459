-- {"column": "/json/pointer"}: from one item of the response to a column of the table.
create or replace function mill.check_column_map(p_row public.data_type_registry, p_table regclass) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.refuse_registry_row(format('column_map: %s is no column of %s that a refresh may write', m.key, p_row.table_name))
  from jsonb_each(p_row.column_map) m
  where m.key in (p_row.timestamp_column, 'cache_ttl_minutes') or not exists (
    select from pg_attribute a
    where a.attrelid = p_table and a.attname = m.key and a.attnum > 0 and not a.attisdropped and a.attgenerated = '');
  perform mill.refuse_registry_row(format('column_map: %s must be a JSON pointer such as "/price"', m.key))
  from jsonb_each(p_row.column_map) m
  where jsonb_typeof(m.value) <> 'string' or m.value #>> '{}' !~ '^(/[^/]+)+$';
  -- Without them another symbol's data, or yesterday's, could not be told.
  perform mill.refuse_registry_row(format('column_map: %s is not mapped', c.name))
  from unnest(array[p_row.symbol_column, p_row.source_timestamp_column]) c(name)
  where c.name is not null and not p_row.column_map ? c.name;
  perform mill.refuse_registry_row(format('column_map: %s may not be null and is not mapped', a.attname))
  from pg_attribute a
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
    and a.attname <> p_row.timestamp_column and not p_row.column_map ? a.attname::text;
end
$$;

comment on function mill.check_column_map(public.data_type_registry, regclass) is 'Raises GM035 when a column map does not fit its table.';
revoke execute on function mill.check_column_map(public.data_type_registry, regclass) from public;
