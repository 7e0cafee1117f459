-- Plans get the documented columns. What was counted moves behind views that have them: names change, no row of a large table does.
alter table public.subscription_plans rename column plan to plan_type;
alter table public.subscription_plans rename column files_per_month to shell_files_limit;
alter table public.subscription_plans rename column pages_per_month to pages_limit;
alter table public.subscription_plans rename column ai_tokens_per_month to ai_tokens_limit;
alter table public.subscription_plans rename column storage_mb to storage_limit_mb;
alter table public.subscription_plans rename column price_cents to monthly_price_cents;
-- A plan is a row of a few: making their ids rewrites nothing worth mentioning.
alter table public.subscription_plans
  alter column monthly_price_cents set default 0,
  add column id uuid not null default gen_random_uuid(),
  add column display_name text not null default '',
  add column description text not null default '',
  add column features jsonb not null default '{}',
  add column is_active boolean not null default true,
  add column sort_order int not null default 0,
  add column created_at timestamptz not null default now(),
  add column updated_at timestamptz not null default now(),
  add constraint a_plan_has_one_id unique (id);
update public.subscription_plans s set display_name = initcap(s.plan_type), sort_order = o.place
from (select p.plan_type, row_number() over (order by p.monthly_price_cents, p.plan_type) as place from public.subscription_plans p) o
where o.plan_type = s.plan_type;
drop policy plans_are_seen_by_everyone on public.subscription_plans;
create policy plans_are_seen_by_everyone on public.subscription_plans for select to anon, authenticated using (true);
revoke all on public.subscription_plans from authenticated, service_role;
grant select on public.subscription_plans to anon, authenticated;
grant select, insert, update, delete on public.subscription_plans to service_role;

drop policy usage_is_seen_by_those_with_access on public.user_usage_tracking;
alter table public.user_usage_tracking disable row level security;
revoke all on public.user_usage_tracking from authenticated, service_role;
alter table public.user_usage_tracking add column created_at timestamptz;
alter table public.user_usage_tracking set schema mill;
alter table mill.user_usage_tracking rename to usage_of_month;
alter table mill.usage_of_month rename constraint user_usage_tracking_pkey to usage_of_month_pkey;
alter table mill.usage_of_month rename constraint user_usage_tracking_profile_id_fkey to usage_of_month_profile_id_fkey;
comment on table mill.usage_of_month is 'One row per profile and month (UTC). Made by whatever counts first in a month.';

drop policy events_are_seen_by_those_with_access on public.usage_events;
alter table public.usage_events disable row level security;
revoke all on public.usage_events from authenticated, service_role;
alter table public.usage_events set schema mill;
alter table mill.usage_events rename to usage_event;
alter sequence mill.usage_events_id_seq rename to usage_event_id_seq;
alter table mill.usage_event rename constraint usage_events_pkey to usage_event_pkey;
alter table mill.usage_event rename constraint usage_events_profile_id_fkey to usage_event_profile_id_fkey;
alter index mill.usage_events_profile rename to usage_event_profile;
comment on table mill.usage_event is 'What was counted, one row per event; counts is what it added, or the meter and limit of a limit_hit.';
