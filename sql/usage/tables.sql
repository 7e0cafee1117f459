-- What people use, by profile and month, and what their plan lets them use. Null in a plan means unlimited. Limits block
-- only while features.billing_enabled; otherwise reaching one is merely on record.
--
-- Users read what was counted by the views user_usage_tracking and usage_events, which have the documented columns.
create table public.subscription_plans (
  plan_type text primary key,
  shell_files_limit int,
  pages_limit int,
  ai_tokens_limit bigint,
  storage_limit_mb int,
  monthly_price_cents int not null default 0,
  id uuid not null default gen_random_uuid(),
  display_name text not null default '',
  description text not null default '',
  features jsonb not null default '{}',
  is_active boolean not null default true,
  sort_order int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint plan_name_is_a_short_word check (plan_type ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint limits_are_not_negative check (
    least(shell_files_limit, pages_limit, ai_tokens_limit, storage_limit_mb) is null
    or least(shell_files_limit, pages_limit, ai_tokens_limit, storage_limit_mb) >= 0),
  constraint price_is_not_negative check (monthly_price_cents >= 0),
  constraint a_plan_has_one_id unique (id)
);
comment on table public.subscription_plans is 'What each plan admits a month; null is unlimited.';
insert into public.subscription_plans (plan_type, display_name, shell_files_limit, pages_limit, ai_tokens_limit, storage_limit_mb, monthly_price_cents, sort_order) values
  ('free', 'Free', 10, 100, 50000, 100, 0, 1),
  ('basic', 'Basic', 100, 1000, 500000, 1000, 999, 2),
  ('premium', 'Premium', 500, 5000, 2500000, 5000, 2999, 3),
  ('enterprise', 'Enterprise', null, null, null, null, 9999, 4);
alter table public.user_profiles add constraint the_plan_exists foreign key (plan) references public.subscription_plans;

create table mill.usage_of_month (
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
  -- Null for months that were counted by release 0.1.0.
  created_at timestamptz,
  primary key (profile_id, month),
  constraint month_is_its_first_day check (extract(day from month) = 1)
) with (fillfactor = 80);
comment on table mill.usage_of_month is 'One row per profile and month (UTC). Made by whatever counts first in a month.';

-- A level, not a monthly counter: what is stored in March is still stored in April.
create table mill.stored_bytes (
  profile_id uuid primary key references public.user_profiles on delete cascade,
  bytes bigint not null default 0,
  constraint stored_bytes_are_not_negative check (bytes >= 0)
) with (fillfactor = 80);
comment on table mill.stored_bytes is 'How much a profile has stored now.';

create table mill.usage_event (
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
comment on table mill.usage_event is 'What was counted, one row per event; counts is what it added, or the meter and limit of a limit_hit.';
create index usage_event_profile on mill.usage_event (profile_id, at);
create unique index an_event_counts_once on mill.usage_event (profile_id, event_type, once_key) where once_key is not null;

alter table public.subscription_plans enable row level security;
revoke all on public.subscription_plans from public, anon, authenticated, service_role;
grant select on public.subscription_plans to anon, authenticated, service_role;
grant insert, update, delete on public.subscription_plans to service_role;
create policy plans_are_seen_by_everyone on public.subscription_plans for select to anon, authenticated using (true);
