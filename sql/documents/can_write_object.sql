-- Objects are written by the parts that make them. All that a user's own token may store is a file whose upload was
-- begun and has not ended, at the place that was given for it: never an export, an artifact, or a document that is there.
create or replace function public.can_write_object(p_key text) returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select public.is_service_role()
    or public.can_access_object(p_key) and exists (select from mill.document_upload u where u.place = p_key)
$$;

comment on function public.can_write_object(text) is 'Whether the caller may store an object at this place.';
revoke execute on function public.can_write_object(text) from public, anon;
grant execute on function public.can_write_object(text) to authenticated, service_role;
