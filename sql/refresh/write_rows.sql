-- Writes what was fetched for one symbol. Older source data is never written; equal means that nothing has changed,
-- and then the rows stay as they are: only mill.data_check learns that the provider was asked.
--
-- No lock is needed between the look and the write: one live job a symbol and type, and its lease is locked.
create or replace function mill.write_rows(p_type public.data_type_registry, p_symbol text, p_rows jsonb, p_now timestamptz) returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_columns text[] := array(select distinct k from jsonb_array_elements(p_rows) r, jsonb_object_keys(r) k order by k);
  v_theirs timestamptz;
  v_ours timestamptz;
begin
  if p_rows = '[]' or exists (select from jsonb_array_elements(p_rows) r where r ->> p_type.symbol_column is distinct from p_symbol) then
    return 'other_symbol';
  end if;

  if p_type.source_timestamp_column is not null then
    execute format('select max(r.%1$I), (select max(t.%1$I) from public.%2$I t where t.%3$I = $2) from jsonb_populate_recordset(null::public.%2$I, $1) r',
      p_type.source_timestamp_column, p_type.table_name, p_type.symbol_column)
    into v_theirs, v_ours using p_rows, p_symbol;
    if v_theirs is null then
      return 'no_source_timestamp';
    -- One from the future would make everything true that follows look old.
    elsif v_theirs > p_now + interval '1 day' then
      return 'source_in_future';
    elsif v_theirs < v_ours then
      return 'older_source';
    elsif v_theirs = v_ours then
      insert into mill.data_check (data_type, symbol, next_check_at, reason)
      values (p_type.data_type, p_symbol, p_now + make_interval(mins => p_type.default_ttl_minutes), 'unchanged')
      on conflict (data_type, symbol) do update set next_check_at = excluded.next_check_at, reason = excluded.reason;
      return 'unchanged';
    end if;
  end if;

  execute mill.upsert_statement(p_type, v_columns) using p_rows, p_now;
  return 'written';
end
$$;

comment on function mill.write_rows(public.data_type_registry, text, jsonb, timestamptz) is
  'written, unchanged, or why not: older_source, source_in_future, no_source_timestamp, other_symbol.';
revoke execute on function mill.write_rows(public.data_type_registry, text, jsonb, timestamptz) from public;
