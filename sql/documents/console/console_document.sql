-- What is masked of a text: its length stays, because a box without one says nothing about whether it was read.
create or replace function mill.masked_text(p_text text, p_is_masked boolean) returns text
language sql immutable
return case when p_is_masked then repeat('•', least(length(p_text), 40)) else p_text end;

comment on function mill.masked_text(text, boolean) is 'A text, or as many dots as it has characters.';
revoke execute on function mill.masked_text(text, boolean) from public;

-- A page with its words, and what was found on all pages, at most 5,000 words and 1,000 facts. Each word is [text, box, confidence].
create or replace function mill.console_document_page(p_file public.shell_files, p_page int, p_is_masked boolean) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('masked', p_is_masked, 'enough', mill.confidence_thresholds(),
    'pages', (
      select coalesce(jsonb_agg(jsonb_build_object('number', p.page_number, 'source', p.source, 'width', p.width, 'height', p.height, 'confidence', p.confidence,
        'turned', p.turned, 'orientation', p.orientation, 'language', p.language) order by p.page_number), '[]')
      from (select * from public.document_pages p where p.document_id = p_file.id order by p.page_number limit 500) p),
    'page', p_page,
    'words', (
      select coalesce(jsonb_agg(jsonb_build_array(mill.masked_text(w.text, p_is_masked), to_jsonb(w.box), w.confidence) order by w.word_number), '[]')
      from (select * from public.document_words w where w.document_id = p_file.id and w.page_number = p_page order by w.word_number limit 5000) w),
    'facts', (
      select coalesce(jsonb_agg(jsonb_build_object('number', f.fact_number, 'kind', f.kind, 'name', mill.masked_text(f.name, p_is_masked),
        'value', case when p_is_masked then mill.masked(f.value) else f.value end, 'code_system', f.code_system, 'code', case when not p_is_masked then f.code end,
        'page', f.page_number, 'box', f.box, 'confidence', f.confidence, 'status', f.status, 'certainty', f.certainty, 'written', mill.masked_text(f.written, p_is_masked),
        'decided_by', case when p_is_masked then mill.masked(f.decided_by - array['page', 'box']) || jsonb_build_object('page', f.decided_by -> 'page', 'box', f.decided_by -> 'box') else f.decided_by end,
        'doubts', (select coalesce(jsonb_agg(d.doubt -> 'reason'), '[]') from jsonb_array_elements(f.doubts) d(doubt))) order by f.doubts = '[]', f.confidence nulls last, f.fact_number), '[]')
      from (select * from public.document_facts f where f.document_id = p_file.id order by f.fact_number limit 1000) f),
    'doubts', (
      select coalesce(jsonb_agg(jsonb_build_object('stage', d.stage, 'reason', d.reason, 'page', d.page_number, 'box', d.box, 'text', mill.masked_text(d.text, p_is_masked), 'fact', d.fact_number) order by d.doubt_number), '[]')
      from (select * from public.document_doubts d where d.document_id = p_file.id order by d.doubt_number limit 500) d),
    'entities', (
      select coalesce(jsonb_agg(jsonb_build_object('number', e.entity_number, 'kind', e.kind, 'text', mill.masked_text(e.text, p_is_masked),
        'page', e.page_number, 'box', e.box, 'confidence', e.confidence) order by e.entity_number), '[]')
      from (select * from public.document_entities e where e.document_id = p_file.id order by e.entity_number limit 1000) e),
    'narrative', (
      select case when p_is_masked then jsonb_build_object('sentences', jsonb_array_length(n.sentences), 'timeline', jsonb_array_length(n.timeline))
        else jsonb_build_object('sentences', n.sentences, 'timeline', n.timeline) end
      from public.document_narratives n where n.document_id = p_file.id))
$$;

comment on function mill.console_document_page(public.shell_files, int, boolean) is 'One page of a document with its words, and the facts of all pages, masked or not.';
revoke execute on function mill.console_document_page(public.shell_files, int, boolean) from public;

create or replace function public.console_document(p_id uuid, p_page int default 1) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_file public.shell_files;
  v_masked boolean := mill.setting('console.payloads', 'masked') <> 'shown' and not mill.has_console_grant(mill.console_sub(), p_id);
begin
  select f.* into v_file from public.shell_files f where f.id = p_id;
  if v_file.id is null then
    return '{"document": null}'::jsonb;
  end if;
  return jsonb_build_object('document', mill.console_document_row(v_file) || jsonb_build_object('verdict', v_file.verdict, 'stage_jobs', v_file.stage_jobs, 'scanned_at', v_file.scanned_at,
      'reviewed', case when v_masked then v_file.review - 'note' else v_file.review end),
    'audit', mill.console_audit_rows(format('a.table_name = ''shell_files'' and a.record_id = %L', p_id), 20, false),
    'actions', jsonb_build_object('review', v_role in ('operator', 'admin') and v_file.status = 'needs_review', 'reveal', v_role = 'admin', 'file', v_role = 'admin' and mill.has_console_grant(mill.console_sub(), p_id) and v_file.scanned_at is not null))
    || mill.console_document_page(v_file, coalesce(p_page, 1), v_masked);
end
$$;

comment on function public.console_document(uuid, int) is
  'A document with one page''s words and their boxes, its facts, confidences and audit rows; texts are masked until revealed. For viewers of the console.';
revoke execute on function public.console_document(uuid, int) from public, anon;
grant execute on function public.console_document(uuid, int) to authenticated, service_role;
