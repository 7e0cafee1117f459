-- What was quarantined is not served, nor what is being erased.
create or replace function public.document_place(p_id uuid) returns text
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select f.storage_path from public.shell_files f
  where f.id = p_id and f.status in ('uploaded', 'processing', 'completed', 'failed')
    and (public.is_service_role() or public.has_profile_access(auth.uid(), f.patient_id))
$$;

comment on function public.document_place(uuid) is 'Where the file of a document of the caller''s lies, or null.';
revoke execute on function public.document_place(uuid) from public, anon;
grant execute on function public.document_place(uuid) to authenticated, service_role;
