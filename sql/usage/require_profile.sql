-- One answer for a profile that does not exist and for one that is not the caller's.
create or replace function mill.require_profile(p_profile_id uuid) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if coalesce(auth.jwt() ->> 'role', '') in ('anon', 'authenticated') and not public.has_profile_access(auth.uid(), p_profile_id)
    or not exists (select from public.user_profiles p where p.id = p_profile_id)
  then
    raise exception 'this profile does not exist, or is not yours' using errcode = '42501';
  end if;
end
$$;

comment on function mill.require_profile(uuid) is 'Refuses a caller that may not act for a profile.';
revoke execute on function mill.require_profile(uuid) from public;
