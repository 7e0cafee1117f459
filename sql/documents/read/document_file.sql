-- For a download: beside the place, the name that the person knows the file by.
create or replace function public.document_file(p_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('path', d.place, 'name', coalesce(f.original_filename, f.filename))
  from public.document_place(p_id) d(place) join public.shell_files f on f.id = p_id
  where d.place is not null
$$;

comment on function public.document_file(uuid) is 'Place and name of the checked file of a document of the caller''s; null for an unknown document and another''s alike.';
revoke execute on function public.document_file(uuid) from public, anon;
grant execute on function public.document_file(uuid) to authenticated, service_role;
