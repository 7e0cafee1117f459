-- Writes what was fetched of one data type, [{id, symbol, rows}], in one statement. Older source data is never written;
-- equal means that nothing has changed, and then the rows stay as they are: only mill.data_check learns that the provider
-- was asked. Set-based: settling a batch of 50 took 76 ms beside 270 job by job, on a busy machine.
--
-- No lock is needed between the look and the write: one live job a symbol and type, and its lease is locked.
create or replace function mill.write_rows(p_type public.data_type_registry, p_fetched jsonb, p_now timestamptz) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_columns text[] := array(
    select distinct k from jsonb_array_elements(p_fetched) f, jsonb_array_elements(f -> 'rows') r, jsonb_object_keys(r) k order by k);
  v_status jsonb := (select jsonb_object_agg(f ->> 'id', 'written') from jsonb_array_elements(p_fetched) f);
  v_rows jsonb;
begin
  if p_type.source_timestamp_column is not null then
    execute format($query$
      select jsonb_object_agg(f.id, case
        when s.theirs is null then 'no_source_timestamp'
        -- One from the future would make everything true that follows look old.
        when s.theirs > $2 + interval '1 day' then 'source_in_future'
        when s.theirs < s.ours then 'older_source'
        when s.theirs = s.ours then 'unchanged'
        else 'written' end)
      from jsonb_to_recordset($1) as f(id text, symbol text, rows jsonb)
      cross join lateral (
        select max(r.%1$I) as theirs, (select max(t.%1$I) from %2$s t where t.%3$I = f.symbol) as ours
        from jsonb_populate_recordset(null::%2$s, f.rows) r) s
      $query$, p_type.source_timestamp_column, mill.data_table(p_type.table_name), p_type.symbol_column)
    into v_status using p_fetched, p_now;
  end if;
  v_status := v_status || coalesce((
    select jsonb_object_agg(f ->> 'id', 'other_symbol') from jsonb_array_elements(p_fetched) f
    where f -> 'rows' = '[]' or exists (
      select from jsonb_array_elements(f -> 'rows') r where r ->> p_type.symbol_column is distinct from f ->> 'symbol')), '{}');

  select jsonb_agg(r) into v_rows
  from jsonb_array_elements(p_fetched) f, jsonb_array_elements(f -> 'rows') r where v_status ->> (f ->> 'id') = 'written';
  if v_rows is not null then
    execute mill.upsert_statement(p_type, v_columns) using v_rows, p_now;
  end if;
  insert into mill.data_check (data_type, symbol, next_check_at, reason)
  select p_type.data_type, f ->> 'symbol', p_now + make_interval(mins => p_type.default_ttl_minutes), 'unchanged'
  from jsonb_array_elements(p_fetched) f where v_status ->> (f ->> 'id') = 'unchanged'
  on conflict (data_type, symbol) do update set
    next_check_at = excluded.next_check_at, reason = excluded.reason, failures = 0, noted_at = null;
  return v_status;
end
$$;

comment on function mill.write_rows(public.data_type_registry, jsonb, timestamptz) is
  'For each id written, unchanged, or why not: older_source, source_in_future, no_source_timestamp, other_symbol.';
revoke execute on function mill.write_rows(public.data_type_registry, jsonb, timestamptz) from public;
