-- What GET /v1/usage shows. The functions of release 0.1.0 read these keys in the answer of get_user_usage_status.
create or replace function mill.usage_status(p_profile_id uuid) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'profile_id', p.id,
    'plan', p.plan,
    'price_cents', s.monthly_price_cents,
    'month', to_char(t.month, 'YYYY-MM'),
    'resets_at', (t.month + interval '1 month') at time zone 'UTC',
    'meters', m.meters,
    'ai_seconds', coalesce(u.ai_seconds, 0),
    'over', m.over,
    'billing_enabled', mill.is_enabled('billing'),
    'is_blocked', m.over <> '[]' and mill.is_enabled('billing'),
    'upgrade_prompt', m.over <> '[]' and mill.is_enabled('upgrade_prompts'))
  from public.user_profiles p
  cross join (select mill.usage_month(mill.now()) as month) t
  join public.subscription_plans s on s.plan_type = p.plan
  left join mill.usage_of_month u on u.profile_id = p.id and u.month = t.month
  cross join lateral (
    select jsonb_object_agg(m.meter, jsonb_build_object('used', m.used, 'limit', m.allowed,
        'percent', round(100 * m.used / nullif(m.allowed, 0), 1), 'is_over', m.is_over)) as meters,
      coalesce(jsonb_agg(m.meter order by m.meter) filter (where m.is_over), '[]') as over
    from mill.usage_meters(p.id, t.month) m) m
  where p.id = p_profile_id
$$;

comment on function mill.usage_status(uuid) is 'What a profile has used this month beside its plan, meter by meter; a limit of null is unlimited.';
revoke execute on function mill.usage_status(uuid) from public;

create or replace function public.get_user_usage_status(p_profile_id uuid) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_profile(p_profile_id);
  if not mill.is_enabled('usage_tracking') then
    return '{"tracking_disabled": true}'::jsonb;
  end if;
  return mill.usage_status(p_profile_id) || (
    select jsonb_build_object(
      'current_period', jsonb_build_object('start', s.month, 'end', (s.month + interval '1 month - 1 day')::date),
      'usage', (
        -- The compatible names of our meters.
        select jsonb_object_agg(n.key, jsonb_build_object('used', m.used, 'limit', m.allowed, 'percentage', mill.usage_percentage(m.used, m.allowed)))
        from jsonb_each_text('{"shell_files": "files", "pages": "pages", "ai_tokens": "ai_tokens"}') n
        join mill.usage_meters(p_profile_id, s.month) m on m.meter = n.value)
        || jsonb_build_object('storage', jsonb_build_object('used_mb', s.storage_mb, 'limit_mb', s.storage_mb_limit,
          'percentage', mill.usage_percentage(s.storage_mb, s.storage_mb_limit))),
      'status', jsonb_build_object('plan_type', s.plan_type, 'over_limit', s.is_over, 'upgrade_required', s.upgrade_required))
    from mill.usage_summary(p_profile_id) s);
end
$$;

comment on function public.get_user_usage_status(uuid) is
  'What a profile has used this month: {current_period, usage, status}, and the keys of mill.usage_status; a limit of null is unlimited. {tracking_disabled: true} while nothing is counted.';
revoke execute on function public.get_user_usage_status(uuid) from public, anon;
grant execute on function public.get_user_usage_status(uuid) to authenticated, service_role;
