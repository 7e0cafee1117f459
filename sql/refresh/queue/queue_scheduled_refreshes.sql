-- Scheduled types are walked along supported_symbols by a cursor, a bounded stretch a minute: symbols times types is
-- never laid out. Always at priority -1: whoever is looking comes first. Where more wait than refresh.scheduled_depth, no walk goes on:
-- the cursor stays where it is until the processor has caught up.
create or replace function mill.walk_scheduled(p_type public.data_type_registry, p_max int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := date_trunc('minute', mill.now());
  v_walk mill.refresh_walk;
  v_symbols text[];
  v_priority constant int := -1;
begin
  insert into mill.refresh_walk (data_type, looked_at) values (p_type.data_type, v_now - interval '1 minute') on conflict do nothing;
  select w.* into v_walk from mill.refresh_walk w where w.data_type = p_type.data_type for update;
  -- Minutes that were missed count, an hour of them at the most.
  if v_walk.walking is null and exists (
    select from generate_series(greatest(v_walk.looked_at + interval '1 minute', v_now - interval '1 hour'), v_now, interval '1 minute') m(at)
    where mill.cron_matches(p_type.refresh_schedule, m.at))
  then
    v_walk.walking := '';
  end if;

  v_symbols := array(
    select s.symbol from public.supported_symbols s
    where s.symbol > v_walk.walking and s.is_active order by s.symbol limit p_max);
  update mill.refresh_walk w set looked_at = v_now,
    walking = case when cardinality(v_symbols) = p_max then v_symbols[p_max] end
  where w.data_type = p_type.data_type;
  return mill.queue_stale(p_type, v_symbols, v_priority);
end
$$;

comment on function mill.walk_scheduled(public.data_type_registry, int) is 'Goes on with the walk of a scheduled type, or begins one when its schedule says so; says how many refreshes were new.';
revoke execute on function mill.walk_scheduled(public.data_type_registry, int) from public;

create or replace function mill.walk_all_scheduled() returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_max int := mill.setting('refresh.scheduled_stretch', '100')::int;
  v_depth int := mill.setting('refresh.scheduled_depth', '1000')::int;
  v_type public.data_type_registry;
  v_queued int := 0;
begin
  if not mill.entry_lock('scheduled-refreshes') then
    return jsonb_build_object('skipped', true);
  end if;
  for v_type in
    select r.* from public.data_type_registry r where r.is_enabled and r.refresh_strategy = 'scheduled' order by r.data_type
  loop
    -- Asked of each type's queue, and again after each: the walk of one type may have filled it for the next.
    continue when mill.depth(mill.refresh_queue_of(v_type.edge_function_name, v_type.provider), v_depth) >= v_depth;
    begin
      v_queued := v_queued + mill.walk_scheduled(v_type, v_max);
    exception
      when query_canceled then raise;
      when others then
        insert into mill.event (at, code, detail) values (mill.now(), 'scheduled_refresh_failed',
          jsonb_build_object('data_type', v_type.data_type, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end loop;
  return jsonb_build_object('queued', v_queued);
end
$$;

comment on function mill.walk_all_scheduled() is 'Queues the next stretch of every scheduled type that is due; {queued} or {skipped}.';
revoke execute on function mill.walk_all_scheduled() from public;

create or replace function public.queue_scheduled_refreshes() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  perform mill.walk_all_scheduled();
end
$$;

comment on function public.queue_scheduled_refreshes() is 'Queues the next stretch of every scheduled type that is due. Does nothing while another run is at it.';
revoke execute on function public.queue_scheduled_refreshes() from public, anon, authenticated;
grant execute on function public.queue_scheduled_refreshes() to service_role;
