-- The caller's profiles are found first, whether the document exists or not: so the time of the answer does not tell that another's document exists.
create or replace function mill.reached_document(p_id uuid, p_owned boolean default false) returns public.shell_files
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_service boolean := public.is_service_role();
  v_profiles uuid[] := case
    when v_is_service then '{}'::uuid[]
    when p_owned then array(select p.id from public.user_profiles p where p.user_id = auth.uid())
    else array(select public.accessible_profiles()) end;
  v_file public.shell_files;
begin
  select f.* into v_file from public.shell_files f where f.id = p_id and (v_is_service or f.patient_id = any (v_profiles));
  return v_file;
end
$$;

comment on function mill.reached_document(uuid, boolean) is 'A document that the caller may reach or, where p_owned, whose profile is the caller''s own; null for an unknown one and another''s alike.';
revoke execute on function mill.reached_document(uuid, boolean) from public;
