-- The on-subscribe check: one symbol, the types on the page.
create or replace function mill.check_symbol(p_symbol text, p_data_types text[], p_priority int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type public.data_type_registry;
  v_queued int := 0;
begin
  if not exists (select from public.supported_symbols s where s.symbol = p_symbol and s.is_active) then
    return 0;
  end if;
  for v_type in
    select r.* from public.data_type_registry r where r.data_type = any (p_data_types) and r.is_enabled order by r.data_type
  loop
    v_queued := v_queued + mill.queue_stale(v_type, array[p_symbol], p_priority);
  end loop;
  return v_queued;
end
$$;

comment on function mill.check_symbol(text, text[], int) is
  'Queues what is missing or stale of a symbol; says how many refreshes were new. Without a priority each gets the number of its viewers.';
revoke execute on function mill.check_symbol(text, text[], int) from public;

-- Users call it, so it reads and queues with the owner's rights and takes nothing on trust. Unknown symbols and types are left out. A user
-- reaches only what the user watches, which mill.setting refresh.max_subscriptions bounds, and asks for no more priority than
-- the viewers of that thing give it together: otherwise one user could queue every symbol ahead of a quote with a hundred viewers.
create or replace function public.check_and_queue_stale_batch(p_symbol text, p_data_types text[], p_priority int default 5) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_watched text[];
begin
  perform mill.require_primary();
  if public.is_service_role() then
    perform mill.check_symbol(p_symbol, p_data_types, least(greatest(coalesce(p_priority, 5), -100), 100));
    return;
  end if;
  v_watched := array(
    select a.data_type from public.active_subscriptions_v2 a
    where a.user_id = auth.uid() and a.symbol = p_symbol and a.data_type = any (p_data_types)
      and a.last_seen_at > mill.now() - interval '5 minutes'
    order by a.data_type);
  perform mill.check_symbol(p_symbol, array[w.data_type], greatest(0, least(coalesce(p_priority, 5), mill.viewers(p_symbol, w.data_type))))
  from unnest(v_watched) w(data_type);
end
$$;

comment on function public.check_and_queue_stale_batch(text, text[], int) is
  'Queues what is missing or stale of a symbol. A user reaches what the user watches, with at most the number of its viewers as priority.';
revoke execute on function public.check_and_queue_stale_batch(text, text[], int) from public, anon;
grant execute on function public.check_and_queue_stale_batch(text, text[], int) to authenticated, service_role;
