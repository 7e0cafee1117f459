-- On Supabase the Storage API asks these policies; elsewhere there is no storage.objects, and the stand-in asks
-- the functions named here itself.
--
-- Nobody may replace an object: there is no policy for UPDATE. That alone does not stop a late upload, because the Storage API asks
-- only before it reads a body, and a signed upload URL is good for two hours. A late upload can therefore still replace the object at the place of an
-- upload. It cannot reach what is given out of documents: the security stage stores what it scanned at another place.
create or replace function mill.install_storage_policies() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_objects regclass := to_regclass('storage.objects');
  v_buckets regclass := to_regclass('storage.buckets');
  v_policy text;
  v_ours text := (select string_agg(quote_literal(m.bucket), ', ' order by m.bucket) from mill.bucket m);
  v_object constant text := 'case bucket_id when ''gristmill'' then name else bucket_id || '':'' || name end'; -- see sql/files/tables.sql
begin
  if v_objects is null then
    return;
  end if;
  -- 50 MiB, as the function documents has it; a limit that an operator has set stays. See docs/documents.md.
  execute format($q$ insert into %1$s as b (id, name, public, file_size_limit) select m.bucket, m.bucket, false, 52428800 from mill.bucket m
    on conflict (id) do update set file_size_limit = coalesce(b.file_size_limit, excluded.file_size_limit) $q$, v_buckets);
  foreach v_policy in array array['files of accessible profiles', 'read what is one''s own', 'store what is being uploaded',
    'replace what is being uploaded', 'remove what no document is made of']
  loop
    execute format('drop policy if exists %I on %s', 'gristmill: ' || v_policy, v_objects);
  end loop;
  -- The Storage API removes only what it can see, so whoever may remove an object sees it too.
  execute format($q$ create policy "gristmill: read what is one's own" on %1$s for select to authenticated
    using (bucket_id in (%2$s) and (public.can_access_object(%3$s) or public.can_remove_object(%3$s))) $q$, v_objects, v_ours, v_object);
  execute format($q$ create policy "gristmill: store what is being uploaded" on %1$s for insert to authenticated
    with check (bucket_id in (%2$s) and public.can_write_object(%3$s)) $q$, v_objects, v_ours, v_object);
  execute format($q$ create policy "gristmill: remove what no document is made of" on %1$s for delete to authenticated
    using (bucket_id in (%2$s) and public.can_remove_object(%3$s)) $q$, v_objects, v_ours, v_object);
end
$$;

comment on function mill.install_storage_policies() is 'Makes the buckets and their policies where Supabase Storage is; elsewhere it does nothing.';
revoke execute on function mill.install_storage_policies() from public;

-- Called before this part is removed: a function that a policy names cannot be dropped. The bucket stays, with what lies in it.
create or replace function mill.remove_files() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_policy record;
begin
  for v_policy in
    select p.polname, p.polrelid::regclass as objects from pg_policy p
    where p.polrelid = to_regclass('storage.objects') and p.polname like 'gristmill: %'
  loop
    execute format('drop policy %I on %s', v_policy.polname, v_policy.objects);
  end loop;
end
$$;

comment on function mill.remove_files() is 'Drops the policies of Supabase Storage. For mill.forget_part alone.';
revoke execute on function mill.remove_files() from public;

-- A bucket that an application adds is made at once.
create or replace function mill.follow_buckets() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.install_storage_policies();
  return null;
end
$$;

comment on function mill.follow_buckets() is 'Makes the buckets and policies of Supabase Storage anew when the list of buckets has changed.';
revoke execute on function mill.follow_buckets() from public;

drop trigger if exists buckets_are_made on mill.bucket;
create trigger buckets_are_made after insert on mill.bucket for each statement execute function mill.follow_buckets();

select mill.install_storage_policies();
