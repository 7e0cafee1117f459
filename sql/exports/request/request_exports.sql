-- All of them or none. What is pending already, with the same document, version, template and options, comes back
-- as it is and counts for nothing.
create or replace function mill.request_exports(
  p_owner uuid, p_document_ids uuid[], p_template text, p_options jsonb, p_correlation_id text)
returns uuid[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_options jsonb := mill.export_options(p_options);
  v_jobs jsonb;
  v_answers jsonb;
  v_new uuid[];
begin
  if coalesce(p_template, '') not in ('minimal', 'modern', 'classic') then
    raise exception 'template must be minimal, modern or classic' using errcode = 'GM004';
  end if;
  perform mill.lock_exports(p_owner);

  select jsonb_agg(jsonb_build_object('kind', 'export_pdf', 'name', d.title, 'owner', p_owner, 'group_key', p_owner,
    'dedupe_key', concat_ws(':', p_owner, d.id, d.version, p_template, md5(v_options::text)), 'correlation_id', p_correlation_id,
    'payload', jsonb_build_object('document_id', d.id, 'version', d.version, 'template', p_template)) order by a.at)
  into v_jobs
  from unnest(p_document_ids) with ordinality a(id, at)
  join public.documents d on d.id = a.id and d.owner = p_owner;
  if coalesce(jsonb_array_length(v_jobs), 0) < cardinality(p_document_ids) then
    raise exception 'there is no such document, or it is not yours' using errcode = 'GM050';
  end if;
  perform mill.check_export_storage(p_owner, 1);

  select jsonb_agg(to_jsonb(e) order by e.ordinal), coalesce(array_agg(distinct e.id) filter (where e.status = 'new'), '{}')
  into v_answers, v_new from mill.enqueue(v_jobs) e;
  if v_answers @? '$[*] ? (@.status == "throttled")' then
    raise exception 'too many exports are waiting' using errcode = 'GM006', detail = '{"retry_after": 30}';
  end if;
  if v_new <> '{}' then
    perform mill.count_exports(p_owner, cardinality(v_new));
  end if;

  insert into mill.export (id, owner, document_id, version, title, template, options, source, created_at)
  select distinct on (a.value ->> 'id') (a.value ->> 'id')::uuid, p_owner, d.id, d.version, d.title, p_template, v_options, d.data, mill.now()
  from jsonb_array_elements(v_answers) with ordinality a(value, at)
  join public.documents d on d.id = p_document_ids[a.at]
  where a.value ->> 'status' = 'new';
  perform mill.note_export(n.id, 'progress', '{"progress": 0, "message": "waiting"}') from unnest(v_new) n(id);
  return array(select (a.value ->> 'id')::uuid from jsonb_array_elements(v_answers) with ordinality a(value, at) order by a.at);
end
$$;

comment on function mill.request_exports(uuid, uuid[], text, jsonb, text) is
  'Asks for exports of documents, in their order; answers the id of each, new or pending already.';
revoke execute on function mill.request_exports(uuid, uuid[], text, jsonb, text) from public;
