-- Of some symbols those whose data of one type is missing or stale, and that need not wait (mill.data_check).
-- One index probe a symbol: the primary key begins with the symbol column (mill.check_registry_row).
--
-- The pass comes once a minute, and the data was fetched some seconds after the pass that asked for it. Asked for exactly, a time to live of one
-- minute would not be over at the next pass, and the data would be renewed every second minute. So what ends before the middle of the next
-- minute (refresh.pass_seconds) counts as ended.
create or replace function mill.stale_symbols(p_type public.data_type_registry, p_symbols text[]) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_stale text[];
  -- A row's own time to live is optional, and so is the column.
  v_ttl text := case when exists (
      select from pg_attribute a
      where a.attrelid = mill.data_table(p_type.table_name) and a.attname = 'cache_ttl_minutes' and not a.attisdropped)
    then 't.cache_ttl_minutes' else 'null::int' end;
begin
  execute format($query$
    select array(
      select s.symbol from unnest($1) s(symbol)
      left join lateral (
        select t.%1$I as fetched_at, %2$s as ttl from %3$s t
        where t.%4$I = s.symbol order by t.%1$I desc limit 1) d on true
      where %5$s(d.fetched_at - $5, case when d.ttl > 0 then d.ttl else $2 end)
        and not exists (
          select from mill.data_check c where c.data_type = $3 and c.symbol = s.symbol
            and c.next_check_at > case c.reason when 'unchanged' then $4 + $5 else $4 end))
    $query$, p_type.timestamp_column, v_ttl, mill.data_table(p_type.table_name), p_type.symbol_column, mill.staleness_function(p_type.staleness_function))
  into v_stale
  using p_symbols, p_type.default_ttl_minutes, p_type.data_type, mill.now(), make_interval(secs => mill.setting('refresh.pass_seconds', '30')::int);
  return v_stale;
end
$$;

comment on function mill.stale_symbols(public.data_type_registry, text[]) is 'Which of the symbols need a refresh of one data type.';
revoke execute on function mill.stale_symbols(public.data_type_registry, text[]) from public;
