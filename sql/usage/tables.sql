-- What people use, by profile and month, and what their plan lets them use. Null in a plan means unlimited. Limits block
-- only while features.billing_enabled; otherwise reaching one is merely on record.
create table public.subscription_plans (
  plan text primary key,
  files_per_month int,
  pages_per_month int,
  ai_tokens_per_month bigint,
  storage_mb int,
  price_cents int not null,
  constraint plan_name_is_a_short_word check (plan ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint limits_are_not_negative check (
    least(files_per_month, pages_per_month, ai_tokens_per_month, storage_mb) is null
    or least(files_per_month, pages_per_month, ai_tokens_per_month, storage_mb) >= 0),
  constraint price_is_not_negative check (price_cents >= 0)
);
comment on table public.subscription_plans is 'What each plan admits a month; null is unlimited.';
insert into public.subscription_plans (plan, files_per_month, pages_per_month, ai_tokens_per_month, storage_mb, price_cents) values
  ('free', 10, 100, 50000, 100, 0),
  ('basic', 100, 1000, 500000, 1000, 999),
  ('premium', 500, 5000, 2500000, 5000, 2999),
  ('enterprise', null, null, null, null, 9999);
alter table public.user_profiles add constraint the_plan_exists foreign key (plan) references public.subscription_plans;

create table public.user_usage_tracking (
  profile_id uuid not null references public.user_profiles on delete cascade,
  month date not null,
  files_uploaded int not null default 0,
  files_processed int not null default 0,
  pages int not null default 0,
  ai_tokens bigint not null default 0,
  ai_calls int not null default 0,
  -- Seconds: whole minutes would lose what is shorter.
  ai_seconds numeric not null default 0,
  updated_at timestamptz not null,
  primary key (profile_id, month),
  constraint month_is_its_first_day check (extract(day from month) = 1)
) with (fillfactor = 80);
comment on table public.user_usage_tracking is 'One row a profile and month (UTC). Made by whatever counts first in a month.';

-- A level, not a monthly counter: what is stored in March is still stored in April.
create table mill.stored_bytes (
  profile_id uuid primary key references public.user_profiles on delete cascade,
  bytes bigint not null default 0,
  constraint stored_bytes_are_not_negative check (bytes >= 0)
) with (fillfactor = 80);
comment on table mill.stored_bytes is 'How much a profile has stored now.';

create table public.usage_events (
  id bigint generated always as identity primary key,
  profile_id uuid not null references public.user_profiles on delete cascade,
  at timestamptz not null,
  event_type text not null,
  shell_file_id uuid,
  job_id uuid,
  counts jsonb not null default '{}',
  -- What makes it one event however often it is reported.
  once_key text,
  constraint event_type_is_known check (event_type in (
    'shell_file_uploaded', 'shell_file_processed', 'ai_processing_started', 'ai_processing_completed', 'page_extracted',
    'storage_used', 'plan_upgraded', 'plan_downgraded', 'limit_hit'))
);
comment on table public.usage_events is 'What was counted, one row an event; counts is what it added, or the meter and limit of a limit_hit.';
create index usage_events_profile on public.usage_events (profile_id, at);
create unique index an_event_counts_once on public.usage_events (profile_id, event_type, once_key) where once_key is not null;

alter table public.subscription_plans enable row level security;
alter table public.user_usage_tracking enable row level security;
alter table public.usage_events enable row level security;
revoke all on public.subscription_plans, public.user_usage_tracking, public.usage_events from public, anon, authenticated, service_role;
grant select on public.subscription_plans, public.user_usage_tracking, public.usage_events to authenticated, service_role;
grant insert, update, delete on public.subscription_plans to service_role;
create policy plans_are_seen_by_everyone on public.subscription_plans for select to authenticated using (true);
create policy usage_is_seen_by_those_with_access on public.user_usage_tracking
  for select to authenticated using (profile_id in (select public.accessible_profiles()));
create policy events_are_seen_by_those_with_access on public.usage_events
  for select to authenticated using (profile_id in (select public.accessible_profiles()));
