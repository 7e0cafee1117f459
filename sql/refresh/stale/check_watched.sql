-- One stretch of the staleness pass: a few hundred symbols, type by type.
create or replace function mill.check_watched(p_symbols text[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_since timestamptz := mill.now() - interval '5 minutes';
  v_type public.data_type_registry;
  v_watched text[];
  v_queued int := 0;
begin
  for v_type in select r.* from public.data_type_registry r where r.is_enabled order by r.data_type loop
    v_watched := array(
      select s.symbol from unnest(p_symbols) s(symbol)
      where exists (
        select from public.active_subscriptions_v2 a
        where a.symbol = s.symbol and a.data_type = v_type.data_type and a.last_seen_at > v_since));
    perform mill.lift_pauses(v_type.data_type, v_watched);
    v_queued := v_queued + mill.queue_stale(v_type, v_watched, null);
  end loop;
  return v_queued;
end
$$;

comment on function mill.check_watched(text[]) is 'Queues what is watched and stale among some symbols; says how many refreshes were new.';
revoke execute on function mill.check_watched(text[]) from public;
