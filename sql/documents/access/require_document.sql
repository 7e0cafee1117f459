-- A document of the caller's, locked; for an unknown one and another's alike: GM046.
create or replace function mill.require_document(p_id uuid) returns public.shell_files
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files;
begin
  select f.* into v_file from public.shell_files f
  where f.id = p_id and (public.is_service_role() or public.has_profile_access(auth.uid(), f.patient_id))
  for update;
  if not found then
    raise exception 'there is no such document' using errcode = 'GM046';
  end if;
  return v_file;
end
$$;

comment on function mill.require_document(uuid) is 'Locks a document that the caller may reach, or raises GM046.';
revoke execute on function mill.require_document(uuid) from public;
