-- On Supabase the Storage API asks these policies; elsewhere there is no storage.objects, and the stand-in asks
-- can_access_object itself.
do $$
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  insert into storage.buckets (id, name, public) values ('gristmill', 'gristmill', false) on conflict (id) do nothing;
  drop policy if exists "gristmill: files of accessible profiles" on storage.objects;
  create policy "gristmill: files of accessible profiles" on storage.objects for all to authenticated
    using (bucket_id = 'gristmill' and public.can_access_object(name))
    with check (bucket_id = 'gristmill' and public.can_access_object(name));
end
$$;
