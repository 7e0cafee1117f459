-- The whole pass in one transaction; the cron job calls mill.check_stale_data, which commits between stretches. With
-- p_subscriptions, [{symbol, data_type}], those are checked instead of the table of heartbeats.
create or replace function public.check_and_queue_stale_data_from_presence(p_subscriptions jsonb default null) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_symbols text[];
  v_type public.data_type_registry;
  v_after text := '';
  v_queued int := 0;
begin
  perform mill.require_primary();
  if not mill.entry_lock('check-stale-data') then
    return jsonb_build_object('skipped', true);
  end if;

  if p_subscriptions is not null then
    for v_type in select r.* from public.data_type_registry r where r.is_enabled order by r.data_type loop
      v_symbols := array(
        select distinct s.symbol from jsonb_to_recordset(p_subscriptions) as s(symbol text, data_type text)
        join public.supported_symbols k using (symbol)
        where s.data_type = v_type.data_type and k.is_active order by s.symbol);
      v_queued := v_queued + mill.queue_stale(v_type, v_symbols, v_type.priority);
    end loop;
    return jsonb_build_object('queued', v_queued);
  end if;

  loop
    v_symbols := mill.watched_symbols(v_after, 200);
    exit when v_symbols = '{}';
    v_queued := v_queued + mill.check_watched(v_symbols);
    v_after := v_symbols[cardinality(v_symbols)];
  end loop;
  return jsonb_build_object('queued', v_queued);
end
$$;

comment on function public.check_and_queue_stale_data_from_presence(jsonb) is
  'Queues what is watched and stale; {queued} or, while another run is at it, {skipped}.';
revoke execute on function public.check_and_queue_stale_data_from_presence(jsonb) from public, anon, authenticated;
grant execute on function public.check_and_queue_stale_data_from_presence(jsonb) to service_role;
