-- People and whom they let in. A user (auth.uid()) may have several profiles: itself, a child, a parent. Everything
-- that a person owns hangs on a profile, and public.has_profile_access decides who reaches it.
create table public.user_profiles (
  id uuid primary key default gen_random_uuid(),
  -- Whose profile it is. No foreign key to auth.users: plain Postgres has none.
  user_id uuid not null default auth.uid(),
  display_name text not null default '',
  -- Changed by the service alone (see the column grants below): a user must not raise its own limits.
  plan text not null default 'free',
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint display_name_is_short check (length(display_name) <= 200)
);
comment on table public.user_profiles is 'Whose data it is. A user may have several; see profile_access_grants for who else gets in.';
create index user_profiles_user on public.user_profiles (user_id);
create unique index a_user_has_one_default_profile on public.user_profiles (user_id) where is_default;

create table public.profile_access_grants (
  id uuid primary key default gen_random_uuid(),
  profile_id uuid not null references public.user_profiles on delete cascade,
  grantee_user_id uuid not null,
  granted_by uuid not null default auth.uid(),
  granted_at timestamptz not null default now(),
  expires_at timestamptz,
  -- Until then the grant lets nobody in: see public.accept_profile_access. What the service grants needs no consent.
  accepted_at timestamptz default case when coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated') then now() end,
  constraint a_grant_ends_after_it_began check (expires_at is null or expires_at > granted_at),
  constraint a_grantee_has_one_grant_per_profile unique (profile_id, grantee_user_id)
);
comment on table public.profile_access_grants is
  'Whom a profile''s owner lets in. A grant reads and adds to all that the profile owns, once it was accepted, but erases nothing and does not reach the grants themselves; revoking is a DELETE.';
create index profile_access_grants_grantee on public.profile_access_grants (grantee_user_id);

alter table public.user_profiles enable row level security;
alter table public.profile_access_grants enable row level security;
-- From service_role too: Supabase's default privileges give it everything.
revoke all on public.user_profiles, public.profile_access_grants from public, anon, authenticated, service_role;
grant select on public.user_profiles to authenticated;
grant insert (display_name), update (display_name) on public.user_profiles to authenticated;
grant select, delete on public.profile_access_grants to authenticated;
grant insert (profile_id, grantee_user_id, expires_at) on public.profile_access_grants to authenticated;
grant select, insert, update, delete on public.user_profiles, public.profile_access_grants to service_role;
