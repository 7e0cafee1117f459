-- Limits come from the plan of the profile. Over is never null: unlimited is never over.
create or replace function mill.usage_meters(p_profile_id uuid, p_month date)
returns table (meter text, used numeric, allowed numeric, is_over boolean)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select m.meter, m.used, m.allowed, coalesce(m.used > m.allowed, false)
  from public.user_profiles p
  join public.subscription_plans s on s.plan_type = p.plan
  left join mill.usage_of_month u on u.profile_id = p.id and u.month = p_month
  left join mill.stored_bytes b on b.profile_id = p.id
  cross join lateral (values
    ('files', coalesce(u.files_uploaded, 0)::numeric, s.shell_files_limit::numeric),
    ('pages', coalesce(u.pages, 0), s.pages_limit),
    ('ai_tokens', coalesce(u.ai_tokens, 0), s.ai_tokens_limit),
    ('storage_mb', round(coalesce(b.bytes, 0) / 1000000.0, 6), s.storage_limit_mb)) as m(meter, used, allowed)
  where p.id = p_profile_id
$$;

comment on function mill.usage_meters(uuid, date) is 'What a profile has used in a month beside what its plan allows; null is unlimited.';
revoke execute on function mill.usage_meters(uuid, date) from public;
