create or replace function public.get_user_usage_status(p_profile_id uuid) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_month date := mill.usage_month(mill.now());
  v_status jsonb;
begin
  perform mill.require_profile(p_profile_id);
  select jsonb_build_object(
    'profile_id', p.id,
    'plan', p.plan,
    'price_cents', s.price_cents,
    'month', to_char(v_month, 'YYYY-MM'),
    'resets_at', (v_month + interval '1 month') at time zone 'UTC',
    'meters', m.meters,
    'ai_seconds', coalesce(u.ai_seconds, 0),
    'over', m.over,
    'billing_enabled', mill.is_enabled('billing'),
    'is_blocked', m.over <> '[]' and mill.is_enabled('billing'),
    'upgrade_prompt', m.over <> '[]' and mill.is_enabled('upgrade_prompts'))
  into v_status
  from public.user_profiles p
  join public.subscription_plans s on s.plan = p.plan
  left join public.user_usage_tracking u on u.profile_id = p.id and u.month = v_month
  cross join lateral (
    select jsonb_object_agg(m.meter, jsonb_build_object('used', m.used, 'limit', m.allowed,
        'percent', round(100 * m.used / nullif(m.allowed, 0), 1), 'is_over', m.is_over)) as meters,
      coalesce(jsonb_agg(m.meter order by m.meter) filter (where m.is_over), '[]') as over
    from mill.usage_meters(p.id, v_month) m) m
  where p.id = p_profile_id;
  return v_status;
end
$$;

comment on function public.get_user_usage_status(uuid) is
  'What a profile has used this month beside its plan; a limit of null is unlimited.';
revoke execute on function public.get_user_usage_status(uuid) from public, anon;
grant execute on function public.get_user_usage_status(uuid) to authenticated, service_role;
