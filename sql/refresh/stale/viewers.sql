-- Priority of what is refreshed for watchers is their number, so that a page with a hundred viewers goes before a page with one. The
-- engine's priorities end at 100, and nothing is counted beyond that.
create or replace function mill.viewers(p_symbol text, p_data_type text) returns int
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
  select count(*)::int from (
    select from public.active_subscriptions_v2 a
    where a.symbol = p_symbol and a.data_type = p_data_type and a.last_seen_at > mill.now() - interval '5 minutes'
    limit 100) v
$$;

comment on function mill.viewers(text, text) is 'How many users watch a symbol''s data of a type now, counted to 100.';
revoke execute on function mill.viewers(text, text) from public;
