-- Profiles with what they have used in a month beside what their plan allows, those nearest to a limit first, and the last twelve months of all of
-- them together. Of a month the 2,000 profiles with most pages are looked at. A profile that has used nothing is not listed, except when it is asked for.
create or replace function public.console_usage(p_month date default null, p_profile uuid default null, p_limit int default 50) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_month date := date_trunc('month', coalesce(p_month, mill.usage_month(mill.now())));
  v_limit int := least(greatest(coalesce(p_limit, 50), 1), 200);
begin
  return jsonb_build_object('month', v_month, 'billing', mill.is_enabled('billing'),
    'plans', (
      select coalesce(jsonb_agg(jsonb_build_object('plan', p.plan_type, 'name', p.display_name, 'files', p.shell_files_limit, 'pages', p.pages_limit, 'ai_tokens', p.ai_tokens_limit,
        'storage_mb', p.storage_limit_mb) order by p.sort_order, p.plan_type), '[]')
      from (select * from public.subscription_plans order by sort_order, plan_type limit 50) p),
    'profiles', (
      select coalesce(jsonb_agg(jsonb_build_object('profile', n.profile_id, 'plan', n.plan, 'ai_calls', n.ai_calls, 'meters', n.meters, 'most', n.most) order by n.most desc, n.profile_id), '[]')
      from (
        select u.profile_id, u.ai_calls, p.plan, m.meters, m.most from (
          (select n.profile_id, n.ai_calls from mill.usage_of_month n where n.month = v_month and p_profile is null order by n.pages desc, n.profile_id limit 2000)
          union all
          (select f.id, coalesce((select n.ai_calls from mill.usage_of_month n where n.profile_id = f.id and n.month = v_month), 0) from public.user_profiles f where f.id = p_profile)) u
      join public.user_profiles p on p.id = u.profile_id
      cross join lateral (
        select jsonb_object_agg(x.meter, jsonb_build_object('used', round(x.used, 2), 'allowed', x.allowed, 'over', x.is_over, 'percent', mill.usage_percentage(x.used, x.allowed))) as meters,
          max(mill.usage_percentage(x.used, x.allowed)) as most
        from mill.usage_meters(u.profile_id, v_month) x) m
        order by m.most desc, u.profile_id limit v_limit) n),
    'months', (
      select coalesce(jsonb_agg(jsonb_build_object('month', n.month, 'files', n.files, 'pages', n.pages, 'ai_tokens', n.tokens, 'ai_calls', n.calls, 'profiles', n.profiles) order by n.month), '[]')
      from (
        select n.month, sum(n.files_uploaded) as files, sum(n.pages) as pages, sum(n.ai_tokens) as tokens, sum(n.ai_calls) as calls, count(*) as profiles
        from mill.usage_of_month n
        where n.month > (v_month - interval '12 months')::date and n.month <= v_month and (p_profile is null or n.profile_id = p_profile)
        group by n.month) n),
    'events', (
      select coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'profile', e.profile_id, 'type', e.event_type, 'counts', e.counts, 'job', e.job_id) order by e.id desc), '[]')
      from (select * from mill.usage_event e where p_profile is null or e.profile_id = p_profile order by e.id desc limit 30) e));
end
$$;

comment on function public.console_usage(date, uuid, int) is
  'What profiles have used in a month beside their plans, the last twelve months, and the newest events. For viewers of the console.';
revoke execute on function public.console_usage(date, uuid, int) from public, anon;
grant execute on function public.console_usage(date, uuid, int) to authenticated, service_role;
