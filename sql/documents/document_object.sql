create or replace function public.document_object(p_id uuid) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_place text := public.document_place(p_id);
begin
  return (select jsonb_build_object('bucket', f.bucket, 'key', v_place) from public.shell_files f where f.id = p_id and v_place is not null);
end
$$;

comment on function public.document_object(uuid) is 'Where the checked file of a document of the caller''s lies: {bucket, key}; null for an unknown document and another''s alike.';
revoke execute on function public.document_object(uuid) from public, anon;
grant execute on function public.document_object(uuid) to authenticated, service_role;
