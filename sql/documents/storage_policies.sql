-- On Supabase the Storage API asks these policies; elsewhere there is no storage.objects, and the stand-in asks
-- the functions named here itself.
do $$
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  insert into storage.buckets (id, name, public) values ('gristmill', 'gristmill', false) on conflict (id) do nothing;
  drop policy if exists "gristmill: files of accessible profiles" on storage.objects;
  drop policy if exists "gristmill: read what is one's own" on storage.objects;
  drop policy if exists "gristmill: store what is being uploaded" on storage.objects;
  drop policy if exists "gristmill: replace what is being uploaded" on storage.objects;
  drop policy if exists "gristmill: remove what no document is made of" on storage.objects;
  create policy "gristmill: read what is one's own" on storage.objects for select to authenticated
    using (bucket_id = 'gristmill' and public.can_access_object(name));
  create policy "gristmill: store what is being uploaded" on storage.objects for insert to authenticated
    with check (bucket_id = 'gristmill' and public.can_write_object(name));
  create policy "gristmill: replace what is being uploaded" on storage.objects for update to authenticated
    using (bucket_id = 'gristmill' and public.can_write_object(name))
    with check (bucket_id = 'gristmill' and public.can_write_object(name));
  create policy "gristmill: remove what no document is made of" on storage.objects for delete to authenticated
    using (bucket_id = 'gristmill' and public.can_remove_object(name));
end
$$;
