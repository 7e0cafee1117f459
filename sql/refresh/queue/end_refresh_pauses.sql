create or replace function mill.end_refresh_pauses(p_refreshes jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  delete from mill.data_check c using jsonb_to_recordset(p_refreshes) as r(data_type text, symbol text)
  where c.data_type = r.data_type and c.symbol = r.symbol and c.reason = 'dead'
$$;

comment on function mill.end_refresh_pauses(jsonb) is 'These refreshes, [{data_type, symbol}], succeeded: earlier dead letters count no more.';
revoke execute on function mill.end_refresh_pauses(jsonb) from public;
