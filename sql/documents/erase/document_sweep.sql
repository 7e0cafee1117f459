-- Objects and rows are matched both ways by a job of the container worker, which reaches the object store. It is asked
-- for when something is due, by schedule, and by whoever runs the cleanup.
create or replace function mill.cleanup_documents(p_max int default 1000) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_grace interval := make_interval(secs => mill.setting('documents.upload_grace_seconds', '300')::double precision);
begin
  if exists (select from mill.document_upload u where u.begun_at < mill.now() - v_grace)
    or exists (select from public.shell_files f where f.status = 'erasing' and f.updated_at < mill.now() - v_grace)
  then
    perform mill.enqueue('[{"kind": "document_sweep", "payload": {"listing": false}, "dedupe_key": "document_sweep"}]');
    return '{"asked": true}'::jsonb;
  end if;
  return '{"asked": false}'::jsonb;
end
$$;
comment on function mill.cleanup_documents(int) is 'Asks for a sweep when an upload was left unfinished or an erasure incomplete.';
revoke execute on function mill.cleanup_documents(int) from public;

-- What is left over: uploads past their grace, and erasures that did not get to their end.
create or replace function public.document_leftovers(p_limit int default 100) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  with old as (
    select mill.now() - make_interval(secs => mill.setting('documents.upload_grace_seconds', '300')::double precision) as at)
  select jsonb_build_object(
    'uploads', coalesce((
      select jsonb_agg(jsonb_build_object('id', u.document_id, 'place', u.place)) from (
        select u.* from mill.document_upload u, old where u.begun_at < old.at
        order by u.looked_at nulls first, u.begun_at limit p_limit) u), '[]'),
    'erasing', coalesce((
      select jsonb_agg(f.id) from (
        select f.id from public.shell_files f, old where f.status = 'erasing' and f.updated_at < old.at limit p_limit) f), '[]'))
$$;
comment on function public.document_leftovers(int) is 'Unfinished uploads and erasures: {uploads: [{id, place}], erasing: [id]}.';
revoke execute on function public.document_leftovers(int) from public, anon, authenticated;
grant execute on function public.document_leftovers(int) to service_role;

-- An upload whose object is there is registered after all; its digest is found by the first stage, and it counts
-- whatever the plan says: it was accepted. One without an object may still be on its way, as slow as its sender is.
-- The place of a copy that the security stage did not finish is given up once the document is no longer in that stage.
create or replace function public.recover_upload(p_place text, p_size bigint) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_forget interval := make_interval(secs => mill.setting('documents.upload_forget_seconds', '3600')::double precision);
  v_file public.shell_files;
  v_is_copy boolean;
begin
  select f.* into v_file from public.shell_files f
  where f.id = (select u.document_id from mill.document_upload u where u.place = p_place) for update;
  -- Read once the document is locked: an upload that finished while this call waited has no ticket any more, and its object stays.
  select u.is_copy into v_is_copy from mill.document_upload u where u.place = p_place;
  if v_is_copy is null then
    return case when exists (select from public.shell_files f where mill.object_named(f.bucket, f.storage_path) = p_place) then 'registered' else 'forgotten' end;
  end if;
  if v_is_copy and v_file.stage = 'security' and v_file.status in ('uploaded', 'processing') then
    update mill.document_upload u set looked_at = v_now where u.place = p_place;
    return 'waiting';
  elsif v_is_copy then
    delete from mill.document_upload u where u.place = p_place;
    return 'forgotten';
  end if;
  if p_size is null then
    update mill.document_upload u set looked_at = v_now where u.place = p_place and u.begun_at > v_now - v_forget;
    if found then
      return 'waiting';
    end if;
  end if;
  delete from mill.document_upload u where u.place = p_place;
  if p_size is null then
    delete from public.shell_files f
    where f.id = v_file.id and f.status = 'uploading' and not exists (select from mill.document_upload u where u.document_id = f.id);
    return 'forgotten';
  end if;
  if v_file.status <> 'uploading' then
    return 'forgotten';
  end if;
  perform mill.register_upload(v_file, p_place, p_size, null);
  perform mill.count_upload(v_file.patient_id, v_file.id, p_size, false);
  return 'registered';
end
$$;
comment on function public.recover_upload(text, bigint) is
  'Ends an unfinished upload by the size of its object, null where there is none: registered; waiting, to be looked at again; forgotten, and then the object, if any, is to be removed.';
revoke execute on function public.recover_upload(text, bigint) from public, anon, authenticated;
grant execute on function public.recover_upload(text, bigint) to service_role;

-- Of objects that the store lists, those that no row names.
create or replace function public.orphaned_objects(p_places text[]) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(p.place), '[]') from unnest(p_places) p(place)
  -- Only what documents keep: {profile}/{document}/{file}, or quarantined. Other parts have places of their own.
  where p.place ~ '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/|quarantine/)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.][a-z]{3,4}$'
    and not exists (select from public.shell_files f where f.storage_path = p.place and f.bucket = 'gristmill')
    and not exists (select from mill.document_upload u where u.place = p.place)
$$;
comment on function public.orphaned_objects(text[]) is 'Which of these objects belong to no document.';
revoke execute on function public.orphaned_objects(text[]) from public, anon, authenticated;
grant execute on function public.orphaned_objects(text[]) to service_role;
