-- The compatible table, as a view: what was counted, beside what the profile's plan allows now. Plans have no history, so an older
-- month is shown beside the plan of today. A month in which nothing was counted has no row; get_user_usage_status answers zeros for it.
create or replace view public.user_usage_tracking with (security_barrier) as
select md5(u.profile_id::text || u.month)::uuid as id, u.profile_id, u.month as billing_cycle_start,
  (u.month + interval '1 month - 1 day')::date as billing_cycle_end,
  u.files_uploaded as shell_files_uploaded, u.pages as total_pages_processed,
  -- A file that was erased since was uploaded all the same. storage_used_mb is what is stored now.
  (coalesce(e.bytes, 0) / 1000000.0)::numeric(10, 2) as total_file_size_mb,
  u.ai_tokens as ai_tokens_used, u.ai_calls as ai_processing_jobs, (u.ai_seconds / 60)::numeric(10, 2) as ai_processing_minutes,
  (coalesce(b.bytes, 0) / 1000000.0)::numeric(10, 2) as storage_used_mb,
  s.plan_type, s.shell_files_limit, s.pages_limit, s.ai_tokens_limit, s.storage_limit_mb,
  o.is_over as is_over_limit, o.is_over and f.is_on as upgrade_required, coalesce(e.warnings, 0) as warnings_sent,
  coalesce(u.created_at, u.month::timestamp at time zone 'UTC') as created_at, u.updated_at
from mill.usage_of_month u
join public.user_profiles p on p.id = u.profile_id
join public.subscription_plans s on s.plan_type = p.plan
left join mill.stored_bytes b on b.profile_id = u.profile_id
-- The same comparison as in mill.usage_meters, which callers of this view may not execute.
cross join lateral (
  select coalesce(u.files_uploaded > s.shell_files_limit, false) or coalesce(u.pages > s.pages_limit, false)
    or coalesce(u.ai_tokens > s.ai_tokens_limit, false)
    or coalesce(round(coalesce(b.bytes, 0) / 1000000.0, 6) > s.storage_limit_mb, false) as is_over) o
cross join lateral (
  select coalesce(bool_or(c.value = 'true'), false) as is_on from mill.settings c
  where c.key in ('features.billing_enabled', 'features.upgrade_prompts_enabled')) f
cross join lateral (
  select sum((e.counts ->> 'bytes')::bigint) filter (where e.event_type = 'shell_file_uploaded') as bytes,
    (count(*) filter (where e.event_type = 'limit_hit'))::int as warnings
  from mill.usage_event e
  where e.profile_id = u.profile_id and e.event_type in ('shell_file_uploaded', 'limit_hit')
    and e.at >= u.month::timestamp at time zone 'UTC' and e.at < (u.month + interval '1 month') at time zone 'UTC') e
where coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated') or u.profile_id in (select public.accessible_profiles());

comment on view public.user_usage_tracking is 'What a profile has used, one row per month, beside its plan; a limit of null is unlimited.';
revoke all on public.user_usage_tracking from public, anon, authenticated, service_role;
grant select on public.user_usage_tracking to authenticated, service_role;
