-- Programs hand in who looks at what as [{symbol, dataType, userId}] or [{symbol, data_type, user_id}], and some as a string that
-- holds such a list.
create or replace function mill.presence_list(p_list jsonb) returns table (symbol text, data_type text, viewers int)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_list jsonb := case when jsonb_typeof(p_list) = 'string' then (p_list #>> '{}')::jsonb else p_list end;
begin
  if jsonb_typeof(v_list) <> 'array' then
    raise exception 'presence_subscriptions must be a list' using errcode = '22023', hint = '[{"symbol": "AAPL", "dataType": "quote", "userId": "…"}]';
  end if;
  return query
  select s.symbol, s.data_type, least(greatest(count(distinct s.viewer), 1), 100)::int
  from (
    select e ->> 'symbol' as symbol, coalesce(e ->> 'dataType', e ->> 'data_type') as data_type, coalesce(e ->> 'userId', e ->> 'user_id') as viewer
    from jsonb_array_elements(v_list) e) s
  join public.supported_symbols k on k.symbol = s.symbol and k.is_active
  group by s.symbol, s.data_type;
end
$$;

comment on function mill.presence_list(jsonb) is 'A list of subscriptions as programs hand it in: symbols, types and how many look at each, counted to 100.';
revoke execute on function mill.presence_list(jsonb) from public;

-- The whole pass in one transaction; the cron job calls mill.check_stale_data, which commits between stretches. A list is checked instead of
-- the table of heartbeats where one is handed in.
create or replace function mill.check_presence(p_list jsonb) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_group record;
  v_symbols text[];
  v_after text := '';
  v_queued int := 0;
begin
  if not mill.entry_lock('check-stale-data') then
    return jsonb_build_object('skipped', true);
  end if;

  if jsonb_typeof(p_list) <> 'null' then
    for v_group in
      select r as type, p.viewers, array_agg(p.symbol order by p.symbol) as symbols
      from mill.presence_list(p_list) p
      join public.data_type_registry r on r.data_type = p.data_type and r.is_enabled
      group by r.data_type, p.viewers order by r.data_type, p.viewers desc
    loop
      v_queued := v_queued + mill.queue_stale(v_group.type, v_group.symbols, v_group.viewers);
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

comment on function mill.check_presence(jsonb) is 'Queues what is watched and stale; {queued} or, while another run is at it, {skipped}.';
revoke execute on function mill.check_presence(jsonb) from public;

create or replace function public.check_and_queue_stale_data_from_presence(presence_subscriptions jsonb default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  perform mill.check_presence(presence_subscriptions);
end
$$;

comment on function public.check_and_queue_stale_data_from_presence(jsonb) is
  'Queues what is stale of what is in the list of subscriptions or, without a list, of what is watched. Does nothing while another run is at it.';
revoke execute on function public.check_and_queue_stale_data_from_presence(jsonb) from public, anon, authenticated;
grant execute on function public.check_and_queue_stale_data_from_presence(jsonb) to service_role;
