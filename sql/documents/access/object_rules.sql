-- What users may do to the objects of documents, which lie at {profile}/{document}/{file}.

create or replace function mill.is_place_of_document(p_key text) returns boolean
language sql immutable
return p_key ~ '^[^/]+/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]+$';
comment on function mill.is_place_of_document(text) is 'Whether a key has the form of a place where files of documents lie.';
revoke execute on function mill.is_place_of_document(text) from public;

-- A document's file is read by whoever has its profile, and only at the place where the security stage has put what it scanned: neither
-- before that, nor at the place of the upload. Whoever has a profile may list what lies below it.
create or replace function mill.may_read_document(p_key text, p_user uuid) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_folder uuid := split_part(p_key, '/', 1)::uuid;
  v_has_folder boolean := v_folder = p_user or public.has_profile_access(p_user, v_folder);
begin
  if mill.is_place_of_document(p_key) then
    -- An admin of the console to whom the document was revealed reads it too, for some minutes.
    return (v_has_folder or mill.has_console_grant(p_user, split_part(p_key, '/', 2)::uuid)) and exists (
      select from public.shell_files f
      where f.id = split_part(p_key, '/', 2)::uuid and f.storage_path = p_key and f.scanned_at is not null
        and f.status in ('uploaded', 'processing', 'completed', 'needs_review', 'failed'));
  end if;
  return nullif(v_has_folder, false); -- other places are others' to open as well
end
$$;
comment on function mill.may_read_document(text, uuid) is 'Rule of read: the folders of accessible profiles, and of documents only what was scanned.';
revoke execute on function mill.may_read_document(text, uuid) from public;

-- All that a user's own token may store is a file whose upload was begun and has not ended, at the place that was given for it: never
-- an export, an artifact, a document that is there, or what the worker has scanned.
create or replace function mill.may_write_document(p_key text, p_user uuid) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_document uuid;
begin
  select u.document_id into v_document from mill.document_upload u where u.place = p_key and not u.is_copy;
  if not found then
    return null;
  end if;
  return exists (
    select from public.shell_files f where f.id = v_document and public.has_profile_access(p_user, f.patient_id));
end
$$;
comment on function mill.may_write_document(text, uuid) is 'Rule of write: the place of an upload that was begun.';
revoke execute on function mill.may_write_document(text, uuid) from public;

-- What a user's own token may remove: what it uploaded and no document is made of, or one that is being erased. Exports
-- and artifacts, which have other places ({user}/exports/…, {user}/{job}/{type}/…), go with their rows.
create or replace function mill.may_remove_document(p_key text, p_user uuid) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_folder uuid := split_part(p_key, '/', 1)::uuid;
begin
  if not mill.is_place_of_document(p_key) then
    return null;
  end if;
  return (v_folder = p_user or public.has_profile_access(p_user, v_folder)) and not exists (
    select from public.shell_files f
    where f.id = split_part(p_key, '/', 2)::uuid and f.status <> 'erasing'
      and (f.storage_path = p_key or exists (select from mill.document_upload u where u.place = p_key and u.is_copy)));
end
$$;
comment on function mill.may_remove_document(text, uuid) is 'Rule of remove: uploads that no document is made of.';
revoke execute on function mill.may_remove_document(text, uuid) from public;

insert into mill.object_rule (act, routine) values
  ('read', 'mill.may_read_document'),
  ('write', 'mill.may_write_document'),
  ('remove', 'mill.may_remove_document')
on conflict (act, routine) do nothing;
