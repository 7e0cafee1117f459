-- What a registry row names must exist and fit together before anything is built from it. Raises GM035. Of a type that a program of the
-- user writes only what our own staleness pass reads is checked; the rest is a warning (mill.warn_of_registry_row).
create or replace function mill.refuse_registry_row(p_problem text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'the data type cannot be registered' using errcode = 'GM035', detail = p_problem;
end
$$;

comment on function mill.refuse_registry_row(text) is 'Raises GM035.';
revoke execute on function mill.refuse_registry_row(text) from public;

create or replace function mill.check_registry_row() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_table regclass;
  v_column text;
  v_is_ours boolean := mill.is_our_fetcher(new.edge_function_name);
begin
  foreach v_column in array array[new.table_name, new.symbol_column, new.timestamp_column,
    coalesce(new.source_timestamp_column, 'none'), new.staleness_function] loop
    perform mill.refuse_registry_row(format('%L is not a plain identifier', v_column))
    where not public.is_valid_identifier(v_column);
  end loop;

  v_table := mill.data_table(new.table_name);
  perform mill.refuse_registry_row(format('there is no table %s%s', new.table_name, case when v_is_ours then ' with row level security' end))
  where not exists (select from pg_class c where c.oid = v_table and c.relkind in ('r', 'p') and (c.relrowsecurity or not v_is_ours));
  perform mill.refuse_registry_row(format('%s.%s is no text', new.table_name, new.symbol_column))
  where not exists (
    select from pg_attribute a join pg_type t on t.oid = a.atttypid
    where a.attrelid = v_table and a.attname = new.symbol_column and t.typcategory = 'S');
  perform mill.refuse_registry_row(format('%s has no primary key that begins with %s', new.table_name, new.symbol_column))
  where v_is_ours and not exists (
    select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indrelid = v_table and i.indisprimary and a.attname = new.symbol_column and a.atttypid = 'text'::regtype);
  perform mill.refuse_registry_row(format('%s.%s is no timestamptz', new.table_name, c.name))
  from unnest(array[new.timestamp_column, new.source_timestamp_column]) c(name)
  where c.name is not null and not exists (
    select from pg_attribute a where a.attrelid = v_table and a.attname = c.name
      and (a.atttypid = 'timestamptz'::regtype or not v_is_ours and a.atttypid in ('timestamp'::regtype, 'date'::regtype)));
  perform mill.refuse_registry_row(format('there is no function %s(timestamptz, integer) that returns boolean', new.staleness_function))
  where not exists (
    select from pg_proc p where p.oid = mill.staleness_function(new.staleness_function)
      and p.prorettype = 'boolean'::regtype);
  perform mill.refuse_registry_row(format('no refresh queue is served by function %s for provider %s: insert one into mill.queue, served_by external where the function is not ours',
    new.edge_function_name, new.provider))
  where mill.refresh_queue_of(new.edge_function_name, new.provider) is null;

  if v_is_ours then
    perform mill.check_response_schema(new);
  end if;
  if new.column_map is not null then
    perform mill.check_column_map(new, v_table);
  end if;
  if new.refresh_schedule is not null then
    perform mill.cron_matches(new.refresh_schedule, mill.now());
  end if;
  new.updated_at := mill.now();
  return new;
end
$$;

comment on function mill.check_registry_row() is 'Trigger: checks a row of data_type_registry against the catalog.';
revoke execute on function mill.check_registry_row() from public;

create or replace trigger what_a_row_names_exists
before insert or update of data_type, table_name, symbol_column, timestamp_column, source_timestamp_column, staleness_function,
  edge_function_name, refresh_schedule, provider, endpoint_template, response_schema, column_map
on public.data_type_registry
for each row execute function mill.check_registry_row();
