create or replace function mill.data_rows(p_data_type text, p_symbol text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type public.data_type_registry;
  v_rows jsonb;
begin
  select r.* into v_type from public.data_type_registry r where r.data_type = p_data_type;
  execute format('select jsonb_agg(to_jsonb(t)) from (select * from %s t where t.%I = $1 order by t.%I desc limit 20) t',
    mill.data_table(v_type.table_name), v_type.symbol_column, v_type.timestamp_column)
  into v_rows using p_symbol;
  return coalesce(v_rows, '[]');
end
$$;

comment on function mill.data_rows(text, text) is 'The rows of one symbol''s data, the latest 20.';
revoke execute on function mill.data_rows(text, text) from public;

-- What changed of what the caller watches, as server-sent events carry it: the latest change of each thing after p_after,
-- with the data as it is now.
create or replace function public.get_data_changes(p_after bigint default 0) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_user uuid := auth.uid();
  v_events jsonb;
begin
  if v_user is null then
    raise exception 'sign in to watch' using errcode = '42501';
  end if;
  select jsonb_agg(jsonb_build_object('id', c.id, 'event', 'change', 'data', jsonb_build_object(
    'data_type', c.data_type, 'symbol', c.symbol, 'at', c.at, 'rows', mill.data_rows(c.data_type, c.symbol))) order by c.id)
  into v_events
  from (
    select max(c.id) as id, max(c.at) as at, c.data_type, c.symbol
    from mill.data_change c
    join public.active_subscriptions_v2 a on a.user_id = v_user and a.symbol = c.symbol and a.data_type = c.data_type
    where c.id > p_after
    group by c.data_type, c.symbol
    order by 1 limit 100) c;
  return jsonb_build_object('events', coalesce(v_events, '[]'), 'ended', false);
end
$$;

comment on function public.get_data_changes(bigint) is 'What changed, after an event''s id, of what the caller watches.';
revoke execute on function public.get_data_changes(bigint) from public, anon, service_role;
grant execute on function public.get_data_changes(bigint) to authenticated;
