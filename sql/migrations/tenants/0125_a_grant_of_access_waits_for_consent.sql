-- Those who have been let in before stay in.
alter table public.profile_access_grants add column accepted_at timestamptz;
update public.profile_access_grants set accepted_at = granted_at;
alter table public.profile_access_grants
  alter accepted_at set default case when coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated') then now() end;
