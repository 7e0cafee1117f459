create or replace function mill.data_rows(p_data_type text, p_symbol text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type public.data_type_registry;
  v_rows jsonb;
begin
  select r.* into v_type from public.data_type_registry r where r.data_type = p_data_type;
  execute format('select jsonb_agg(to_jsonb(t)) from (select * from public.%I t where t.%I = $1 order by t.%I desc limit 20) t',
    v_type.table_name, v_type.symbol_column, v_type.timestamp_column)
  into v_rows using p_symbol;
  return coalesce(v_rows, '[]');
end
$$;

comment on function mill.data_rows(text, text) is 'The rows of one symbol''s data, the latest 20.';
revoke execute on function mill.data_rows(text, text) from public;

-- What changed of what the caller watches, after a cursor. Only changes below the oldest transaction still running are
-- given: one that commits late has a higher place in (xid, id) than any cursor handed out, so none is missed.
create or replace function public.get_data_changes(p_after text default null, p_max int default 100) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_user uuid := auth.uid();
  v_horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_start text := v_horizon || '.0';
  v_xid xid8;
  v_id bigint;
  v_changes jsonb;
begin
  if v_user is null then
    raise exception 'sign in to watch' using errcode = '42501';
  end if;
  if p_after is null then
    return jsonb_build_object('cursor', v_start, 'changes', jsonb '[]');
  end if;
  if p_after !~ '^\d{1,18}\.\d{1,18}$' then
    raise exception 'the cursor is malformed' using errcode = 'GM036';
  end if;
  v_xid := split_part(p_after, '.', 1)::xid8;
  v_id := split_part(p_after, '.', 2)::bigint;

  select jsonb_agg(jsonb_build_object('cursor', c.xid || '.' || c.id, 'data_type', c.data_type, 'symbol', c.symbol, 'at', c.at,
    'rows', mill.data_rows(c.data_type, c.symbol)) order by c.xid, c.id)
  into v_changes
  from (
    select c.* from mill.data_change c
    where (c.xid, c.id) > (v_xid, v_id) and c.xid < v_horizon
      and exists (select from public.active_subscriptions_v2 a
                  where a.user_id = v_user and a.symbol = c.symbol and a.data_type = c.data_type)
    order by c.xid, c.id limit least(p_max, 100)) c;
  return jsonb_build_object(
    'cursor', case when jsonb_array_length(v_changes) = least(p_max, 100) then v_changes -> -1 ->> 'cursor'
      else greatest(v_horizon, v_xid) || '.' || case when v_horizon > v_xid then 0 else v_id end end,
    'changes', coalesce(v_changes, '[]'));
end
$$;

comment on function public.get_data_changes(text, int) is 'Changes of what the caller watches since a cursor, {cursor, changes}; without a cursor, where to begin.';
revoke execute on function public.get_data_changes(text, int) from public, anon, service_role;
grant execute on function public.get_data_changes(text, int) to authenticated;
