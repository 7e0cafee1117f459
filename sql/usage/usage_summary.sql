-- What the compatible calls answer from: a row per profile, of this month. over is never null. An upgrade is required where being over has
-- consequences: the plan blocks, or the operator wants a larger one to be suggested.
create or replace function mill.usage_summary(p_profile_id uuid) returns table (
  plan_type text, month date, files numeric, files_limit numeric, pages numeric, pages_limit numeric, ai_tokens numeric, ai_tokens_limit numeric,
  storage_mb numeric, storage_mb_limit numeric, ai_jobs int, is_over boolean, upgrade_required boolean)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select p.plan, t.month,
    max(m.used) filter (where m.meter = 'files'), max(m.allowed) filter (where m.meter = 'files'),
    max(m.used) filter (where m.meter = 'pages'), max(m.allowed) filter (where m.meter = 'pages'),
    max(m.used) filter (where m.meter = 'ai_tokens'), max(m.allowed) filter (where m.meter = 'ai_tokens'),
    round(max(m.used) filter (where m.meter = 'storage_mb'), 2), max(m.allowed) filter (where m.meter = 'storage_mb'),
    coalesce((select u.ai_calls from mill.usage_of_month u where u.profile_id = p.id and u.month = t.month), 0),
    bool_or(m.is_over), bool_or(m.is_over) and (mill.is_enabled('billing') or mill.is_enabled('upgrade_prompts'))
  from public.user_profiles p
  cross join (select mill.usage_month(mill.now()) as month) t
  cross join lateral mill.usage_meters(p.id, t.month) m
  where p.id = p_profile_id
  group by p.id, p.plan, t.month
$$;

comment on function mill.usage_summary(uuid) is 'What a profile has used this month beside its plan, as one row; null is unlimited.';
revoke execute on function mill.usage_summary(uuid) from public;

-- Of an unlimited meter nothing is used up: 0 percent.
create or replace function mill.usage_percentage(p_used numeric, p_limit numeric) returns numeric
language sql immutable
return coalesce(round(100 * p_used / nullif(p_limit, 0), 1), case when p_limit = 0 and p_used > 0 then 100 else 0 end);

comment on function mill.usage_percentage(numeric, numeric) is 'How much of a limit is used up, in percent.';
revoke execute on function mill.usage_percentage(numeric, numeric) from public;
