-- The unique index lets one of many first calls win; the others read what it made.
create or replace function public.default_profile() returns uuid
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_user uuid := auth.uid();
  v_profile uuid;
begin
  if v_user is null then
    raise exception 'sign in to have a profile' using errcode = '42501';
  end if;
  loop
    select p.id into v_profile from public.user_profiles p where p.user_id = v_user and p.is_default;
    exit when found;
    insert into public.user_profiles (user_id, is_default) values (v_user, true)
    on conflict (user_id) where is_default do nothing;
  end loop;
  return v_profile;
end
$$;

comment on function public.default_profile() is 'The caller''s own profile, made at the first call.';
revoke execute on function public.default_profile() from public, anon;
grant execute on function public.default_profile() to authenticated, service_role;
