create or replace function public.request_export_batch(
  p_document_ids uuid[], p_template text default 'minimal', p_options jsonb default '{}', p_correlation_id text default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_batch uuid := mill.uuid7();
  v_ids uuid[];
begin
  perform mill.refuse_in_maintenance();
  if auth.uid() is null then
    raise exception 'sign in to export' using errcode = '42501';
  end if;
  if coalesce(cardinality(p_document_ids), 0) not between 1 and 10 then
    raise exception 'a batch has 1 to 10 documents' using errcode = 'GM004';
  end if;
  v_ids := mill.request_exports(auth.uid(), p_document_ids, p_template, p_options, p_correlation_id);
  insert into mill.export_batch (id, owner, created_at) values (v_batch, auth.uid(), mill.now());
  insert into mill.export_batch_item (batch_id, position, export_id)
  select v_batch, i.position, i.id from unnest(v_ids) with ordinality i(id, position);
  return mill.export_batch_json(v_batch);
end
$$;

comment on function public.request_export_batch(uuid[], text, jsonb, text) is
  'Asks for PDFs of up to ten of the caller''s documents, all or none; answers the batch.';
revoke execute on function public.request_export_batch(uuid[], text, jsonb, text) from public, anon, service_role;
grant execute on function public.request_export_batch(uuid[], text, jsonb, text) to authenticated;
