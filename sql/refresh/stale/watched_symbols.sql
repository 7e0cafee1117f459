-- The next symbols that anybody watches, each found by one probe of the index beyond the last: 30 watchers of a symbol
-- cost no more than one, and nothing is collected beyond p_max names.
create or replace function mill.watched_symbols(p_after text, p_max int) returns text[]
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
  with recursive walk(symbol, n) as (
    (select a.symbol, 1 from public.active_subscriptions_v2 a where a.symbol > p_after order by a.symbol limit 1)
    union all
    select n.symbol, w.n + 1
    from walk w
    cross join lateral (
      select a.symbol from public.active_subscriptions_v2 a where a.symbol > w.symbol order by a.symbol limit 1) n
    where w.n < p_max
  )
  select coalesce(array_agg(w.symbol order by w.symbol), '{}') from walk w
$$;

comment on function mill.watched_symbols(text, int) is 'The next p_max symbols after one that have subscriptions, in order.';
revoke execute on function mill.watched_symbols(text, int) from public;
