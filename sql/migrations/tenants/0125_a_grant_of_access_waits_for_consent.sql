-- Those who have been let in before stay in.
alter table public.profile_access_grants add column accepted_at timestamptz;
update public.profile_access_grants set accepted_at = granted_at;
alter table public.profile_access_grants
  alter accepted_at set default case when coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated') then now() end;
comment on table public.profile_access_grants is
  'Whom a profile''s owner lets in. A grant reads and adds to all that the profile owns, once it was accepted, but erases nothing and does not reach the grants themselves; revoking is a DELETE.';
