-- On mount and every minute after. The first time also checks at once whether the data is there and fresh. Nobody has to say p_user_id:
-- a user is the one who calls.
create or replace function public.upsert_active_subscription_v2(
  p_user_id uuid default null, p_symbol text default null, p_data_type text default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_user uuid := case when public.is_service_role() then p_user_id else auth.uid() end;
  v_now timestamptz := mill.now();
  v_is_new boolean;
begin
  perform mill.require_primary();
  if v_user is null or p_user_id <> v_user then
    raise exception 'sign in to subscribe' using errcode = '42501';
  end if;
  update public.active_subscriptions_v2 a set last_seen_at = v_now
  where a.user_id = v_user and a.symbol = p_symbol and a.data_type = p_data_type;
  if found then
    return jsonb_build_object('status', 'seen', 'queued', 0);
  end if;

  if not exists (select from public.supported_symbols s where s.symbol = p_symbol and s.is_active) then
    raise exception 'the symbol "%" is not supported', p_symbol using errcode = 'GM036';
  end if;
  if not exists (select from public.data_type_registry r where r.data_type = p_data_type and r.is_enabled) then
    raise exception 'there is no data type "%"', p_data_type using errcode = 'GM036';
  end if;
  if (select count(*) from (
      select from public.active_subscriptions_v2 a where a.user_id = v_user
      limit mill.setting('refresh.max_subscriptions', '500')::int) s) >= mill.setting('refresh.max_subscriptions', '500')::int
  then
    raise exception 'too many subscriptions' using errcode = 'GM038', hint = 'End subscriptions that nobody looks at.';
  end if;
  insert into public.active_subscriptions_v2 as a (user_id, symbol, data_type, subscribed_at, last_seen_at)
  values (v_user, p_symbol, p_data_type, v_now, v_now)
  on conflict (user_id, symbol, data_type) do update set last_seen_at = excluded.last_seen_at
  returning a.subscribed_at = v_now into v_is_new;
  return jsonb_build_object('status', case when v_is_new then 'new' else 'seen' end,
    'queued', mill.check_symbol(p_symbol, array[p_data_type], null));
end
$$;

comment on function public.upsert_active_subscription_v2(uuid, text, text) is
  'The caller watches a symbol''s data, still or from now on. GM036: no such symbol or type; GM038: too many.';
revoke execute on function public.upsert_active_subscription_v2(uuid, text, text) from public, anon;
grant execute on function public.upsert_active_subscription_v2(uuid, text, text) to authenticated, service_role;
