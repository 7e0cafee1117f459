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
  v_bucket text;
begin
  if v_objects is null then
    return;
  end if;
  -- 50 MiB, as the function upload has it; a limit that an operator has set stays. See docs/documents.md.
  for v_bucket in select 'gristmill' union select r.bucket from mill.object_rule r loop
    execute format($q$ insert into %1$s as b (id, name, public, file_size_limit) values ($1, $1, false, 52428800)
      on conflict (id) do update set file_size_limit = coalesce(b.file_size_limit, excluded.file_size_limit) $q$, v_buckets) using v_bucket;
  end loop;
  foreach v_policy in array array['files of accessible profiles', 'read what is one''s own', 'store what is being uploaded',
    'replace what is being uploaded', 'remove what no document is made of', 'read in other buckets', 'store in other buckets', 'remove in other buckets']
  loop
    execute format('drop policy if exists %I on %s', 'gristmill: ' || v_policy, v_objects);
  end loop;
  -- The Storage API removes only what it can see, so whoever may remove an object sees it too.
  execute format($q$ create policy "gristmill: read what is one's own" on %s for select to authenticated
    using (bucket_id = 'gristmill' and (public.can_access_object(name) or public.can_remove_object(name))) $q$, v_objects);
  execute format($q$ create policy "gristmill: store what is being uploaded" on %s for insert to authenticated
    with check (bucket_id = 'gristmill' and public.can_write_object(name)) $q$, v_objects);
  execute format($q$ create policy "gristmill: remove what no document is made of" on %s for delete to authenticated
    using (bucket_id = 'gristmill' and public.can_remove_object(name)) $q$, v_objects);
  -- Named one by one, so that no row of a bucket which is not ours costs a call.
  if exists (select from mill.object_rule r where r.bucket <> 'gristmill') then
    select string_agg(distinct quote_literal(r.bucket), ', ') into v_bucket from mill.object_rule r where r.bucket <> 'gristmill';
    execute format($q$ create policy "gristmill: read in other buckets" on %s for select to authenticated using (bucket_id in (%s)
      and (public.can_reach_object('read', bucket_id, name) or public.can_reach_object('remove', bucket_id, name))) $q$, v_objects, v_bucket);
    execute format($q$ create policy "gristmill: store in other buckets" on %s for insert to authenticated
      with check (bucket_id in (%s) and public.can_reach_object('write', bucket_id, name)) $q$, v_objects, v_bucket);
    execute format($q$ create policy "gristmill: remove in other buckets" on %s for delete to authenticated
      using (bucket_id in (%s) and public.can_reach_object('remove', bucket_id, name)) $q$, v_objects, v_bucket);
  end if;
end
$$;

comment on function mill.install_storage_policies() is 'Makes the buckets that rules name, and their policies, where Supabase Storage is; elsewhere it does nothing. A part calls it again once its rules are in place.';
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

select mill.install_storage_policies();
