-- What later stages read. One page's words at a time would cost a round trip a page; a document has a bounded
-- number of pages.
create or replace function public.document_content(p_id uuid, p_parts text[]) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'pages', case when 'pages' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('number', p.page_number, 'source', p.source, 'width', p.width, 'height', p.height, 'confidence', p.confidence, 'language', p.language, 'text', p.text,
        'words', case when 'words' = any (p_parts) then (
          select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('t', w.text, 'b', to_jsonb(w.box), 'c', w.confidence, 'l', w.line_number)) order by w.word_number), '[]')
          from public.document_words w where w.document_id = p_id and w.page_number = p.page_number) end) order by p.page_number), '[]')
      from public.document_pages p where p.document_id = p_id) end,
    'blocks', case when 'blocks' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('kind', b.kind, 'page', b.page_number, 'text', b.text, 'content', b.content, 'box', b.box) order by b.block_number), '[]')
      from public.document_blocks b where b.document_id = p_id) end,
    'entities', case when 'entities' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('kind', e.kind, 'text', e.text, 'detail', e.detail, 'page', e.page_number, 'box', e.box, 'confidence', e.confidence) order by e.entity_number), '[]')
      from public.document_entities e where e.document_id = p_id) end,
    'facts', case when 'facts' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('number', f.fact_number, 'kind', f.kind, 'name', f.name, 'written', f.written, 'value', f.value, 'status', f.status, 'certainty', f.certainty,
        'decided_by', f.decided_by, 'code_system', f.code_system, 'code', f.code, 'page', f.page_number, 'box', f.box, 'confidence', f.confidence, 'doubts', f.doubts) order by f.fact_number), '[]')
      from public.document_facts f where f.document_id = p_id) end,
    'doubts', case when 'doubts' = any (p_parts) then (
      select coalesce(jsonb_agg(jsonb_build_object('reason', d.reason, 'page', d.page_number, 'box', d.box, 'text', d.text, 'fact', d.fact_number) order by d.doubt_number), '[]')
      from public.document_doubts d where d.document_id = p_id) end,
    'narrative', case when 'narrative' = any (p_parts) then (
      select jsonb_build_object('sentences', n.sentences, 'timeline', n.timeline) from public.document_narratives n where n.document_id = p_id) end))
$$;

comment on function public.document_content(uuid, text[]) is 'Parts of a document: pages, words (with pages), blocks, entities, facts, doubts, narrative.';
revoke execute on function public.document_content(uuid, text[]) from public, anon, authenticated;
grant execute on function public.document_content(uuid, text[]) to service_role;
