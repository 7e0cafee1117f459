-- The one way into the refresh queue. Producers ask the quota first; the live job's unique key keeps a symbol and type
-- from being queued twice, whoever asks at the same moment. Without a priority each refresh gets the number of its viewers.
create or replace function mill.queue_refreshes(p_type public.data_type_registry, p_symbols text[], p_priority int, p_size bigint default null, p_metadata jsonb default null)
returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_jobs jsonb;
  v_queued int;
begin
  if coalesce(cardinality(p_symbols), 0) = 0 then
    return 0;
  end if;
  if mill.is_quota_exceeded() then
    if mill.every_minute('quota_event') then
      insert into mill.event (at, code, detail)
      values (mill.now(), 'quota_exceeded', jsonb_build_object('by', 'producer', 'data_type', p_type.data_type));
    end if;
    return 0;
  end if;

  select jsonb_agg(jsonb_build_object(
    'kind', 'refresh.' || p_type.data_type,
    'name', s.symbol || ' ' || p_type.data_type,
    'priority', coalesce(p_priority, mill.viewers(s.symbol, p_type.data_type)),
    'dedupe_key', s.symbol || ':' || p_type.data_type,
    'payload', jsonb_build_object('symbol', s.symbol, 'data_type', p_type.data_type,
      'estimated_size', coalesce(p_size, p_type.estimated_data_size_bytes))
      || case when p_metadata is null then '{}' else jsonb_build_object('metadata', p_metadata) end))
  into v_jobs
  from unnest(p_symbols) s(symbol);
  select count(*) filter (where e.status = 'new') into v_queued from mill.enqueue(v_jobs) e;
  return v_queued;
end
$$;

comment on function mill.queue_refreshes(public.data_type_registry, text[], int, bigint, jsonb) is 'Queues refreshes of symbols; says how many were new, 0 while the quota is used up.';
revoke execute on function mill.queue_refreshes(public.data_type_registry, text[], int, bigint, jsonb) from public;
