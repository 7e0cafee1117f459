-- A policy calls auth.uid() in a sub-select: evaluated once a statement instead of once a row.
drop policy if exists profiles_are_seen_by_those_with_access on public.user_profiles;
create policy profiles_are_seen_by_those_with_access on public.user_profiles
  for select to authenticated using (id in (select public.accessible_profiles()) or user_id = (select auth.uid()));
drop policy if exists a_user_makes_profiles_of_its_own on public.user_profiles;
create policy a_user_makes_profiles_of_its_own on public.user_profiles
  for insert to authenticated with check (user_id = (select auth.uid()));
drop policy if exists a_user_renames_its_own_profiles on public.user_profiles;
create policy a_user_renames_its_own_profiles on public.user_profiles
  for update to authenticated using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

-- Reads user_profiles under the caller's own policies: the owner's row is visible to the owner.
drop policy if exists grants_are_seen_by_both_sides on public.profile_access_grants;
create policy grants_are_seen_by_both_sides on public.profile_access_grants
  for select to authenticated using (grantee_user_id = (select auth.uid())
    or profile_id in (select p.id from public.user_profiles p where p.user_id = (select auth.uid())));
drop policy if exists an_owner_lets_others_in on public.profile_access_grants;
create policy an_owner_lets_others_in on public.profile_access_grants
  for insert to authenticated with check (granted_by = (select auth.uid())
    and profile_id in (select p.id from public.user_profiles p where p.user_id = (select auth.uid())));
drop policy if exists an_owner_revokes_and_a_grantee_leaves on public.profile_access_grants;
create policy an_owner_revokes_and_a_grantee_leaves on public.profile_access_grants
  for delete to authenticated using (grantee_user_id = (select auth.uid())
    or profile_id in (select p.id from public.user_profiles p where p.user_id = (select auth.uid())));

drop trigger if exists users_wait_in_maintenance on public.user_profiles;
create trigger users_wait_in_maintenance before insert or update or delete on public.user_profiles
  for each statement execute function mill.refuse_users_in_maintenance();
drop trigger if exists users_wait_in_maintenance on public.profile_access_grants;
create trigger users_wait_in_maintenance before insert or update or delete on public.profile_access_grants
  for each statement execute function mill.refuse_users_in_maintenance();
