-- Only what was scanned is given out. What was quarantined is not, nor what is being erased.
create or replace function public.document_place(p_id uuid) returns text
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.reached_document(p_id);
begin
  if v_file.id is null and mill.has_console_grant(auth.uid(), p_id) then
    select f.* into v_file from public.shell_files f where f.id = p_id;
  end if;
  if v_file.status not in ('uploaded', 'processing', 'completed', 'needs_review', 'failed') then
    return null;
  end if;
  if v_file.id is not null and v_file.scanned_at is null then
    raise exception 'the file has not been checked yet' using errcode = 'GM048';
  end if;
  return mill.object_named(v_file.bucket, v_file.storage_path);
end
$$;

comment on function public.document_place(uuid) is 'Where the checked file of a document of the caller''s lies, as BUCKET:KEY unless in gristmill; null for an unknown document and another''s alike.';
revoke execute on function public.document_place(uuid) from public, anon;
grant execute on function public.document_place(uuid) to authenticated, service_role;
