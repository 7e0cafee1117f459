-- The bucket medical-docs, in which compat clients store a file before they register it: {user}/{time}_{name}. A user writes below its
-- own id only. What was scanned lies at {profile}/{document}/{file} in the same bucket, where no user's token can write.

-- The characters that Supabase Storage takes, and the lengths that the worker reads (shared/files).
create or replace function mill.is_upload_place(p_key text) returns boolean
language sql immutable
return length(p_key) <= 512 and p_key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(/[A-Za-z0-9_!.*''() &$@=;:+,?-]{1,200})+$'
  and p_key !~ '/[.]+(/|$)' and not mill.is_place_of_document(p_key);
comment on function mill.is_upload_place(text) is 'Whether a user may name a place like this for a file of its own.';
revoke execute on function mill.is_upload_place(text) from public;

create or replace function mill.is_swept_place(p_key text) returns boolean
language sql immutable
return mill.is_upload_place(p_key) or mill.is_place_of_document(p_key) or p_key ~ '^quarantine/[0-9a-f-]{36}/[^/]+$';
comment on function mill.is_swept_place(text) is 'Whether an object of medical-docs is of a kind that documents have.';
revoke execute on function mill.is_swept_place(text) from public;

create or replace function mill.may_write_upload(p_key text, p_user uuid) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select mill.is_upload_place(p_key) and split_part(p_key, '/', 1) = p_user::text $$;
comment on function mill.may_write_upload(text, uuid) is 'Rule of write in medical-docs: below one''s own id.';
revoke execute on function mill.may_write_upload(text, uuid) from public;

-- As in gristmill: only what was scanned is read, at the place that storage_path says from then on.
create or replace function mill.may_read_upload(p_key text, p_user uuid) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when p_key like '%/' or mill.is_place_of_document(p_key) then coalesce(mill.may_read_document(p_key, p_user), false) else false end
$$;
comment on function mill.may_read_upload(text, uuid) is 'Rule of read in medical-docs: what was scanned, by whoever has the profile.';
revoke execute on function mill.may_read_upload(text, uuid) from public;

-- What a document is made of stays until the document is erased; then whoever may erase it may remove it, also where another has stored it.
create or replace function mill.may_remove_upload(p_key text, p_user uuid) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_status text;
begin
  if mill.is_place_of_document(p_key) then
    return exists (
      select from public.shell_files f
      where f.id = split_part(p_key, '/', 2)::uuid and f.bucket = 'medical-docs' and f.status = 'erasing' and public.has_profile_access(p_user, f.patient_id));
  end if;
  select f.status into v_status from public.shell_files f
  where f.patient_id in (select public.accessible_profiles()) and f.bucket = 'medical-docs'
    and (f.storage_path = p_key or f.status = 'erasing' and f.upload_path = p_key)
  order by f.status = 'erasing' limit 1;
  return case when found then v_status = 'erasing' else split_part(p_key, '/', 1) = p_user::text end;
end
$$;
comment on function mill.may_remove_upload(text, uuid) is 'Rule of remove in medical-docs: what no document is made of.';
revoke execute on function mill.may_remove_upload(text, uuid) from public;

insert into mill.bucket (bucket, description) values ('medical-docs', 'Files that compat clients store before they register them')
on conflict (bucket) do nothing;
insert into mill.object_rule (act, routine, bucket) values
  ('read', 'mill.may_read_upload', 'medical-docs'),
  ('write', 'mill.may_write_upload', 'medical-docs'),
  ('remove', 'mill.may_remove_upload', 'medical-docs')
on conflict (act, routine) do update set bucket = excluded.bucket;
