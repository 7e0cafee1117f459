create or replace function public.request_export(
  p_document_id uuid, p_template text default 'minimal', p_options jsonb default '{}', p_correlation_id text default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids uuid[];
begin
  perform mill.refuse_in_maintenance();
  if auth.uid() is null then
    raise exception 'sign in to export' using errcode = '42501';
  end if;
  v_ids := mill.request_exports(auth.uid(), array[p_document_id], p_template, p_options, p_correlation_id);
  return (select mill.export_json(e) from mill.export e where e.id = v_ids[1]);
end
$$;

comment on function public.request_export(uuid, text, jsonb, text) is 'Asks for a PDF of one of the caller''s documents; answers the export.';
revoke execute on function public.request_export(uuid, text, jsonb, text) from public, anon, service_role;
grant execute on function public.request_export(uuid, text, jsonb, text) to authenticated;

-- Users write to documents directly.
drop trigger if exists users_wait_in_maintenance on public.documents;
create trigger users_wait_in_maintenance before insert or update or delete on public.documents
  for each statement execute function mill.refuse_users_in_maintenance();
