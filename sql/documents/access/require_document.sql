-- A document of the caller's, locked; for an unknown one and another's alike: GM046.
create or replace function mill.require_document(p_id uuid, p_owned boolean default false) returns public.shell_files
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files;
begin
  select f.* into v_file from public.shell_files f
  where f.id = (mill.reached_document(p_id, p_owned)).id
  for update;
  if not found then
    raise exception 'there is no such document' using errcode = 'GM046';
  end if;
  return v_file;
end
$$;

comment on function mill.require_document(uuid, boolean) is 'Locks a document that the caller may reach or, where p_owned, whose profile is the caller''s own; else raises GM046.';
revoke execute on function mill.require_document(uuid, boolean) from public;
