-- The rows of a stage, in the place of whatever an earlier run or attempt wrote.
create or replace function mill.write_blocks(p_id uuid, p_blocks jsonb) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.document_blocks b where b.document_id = p_id;
  insert into public.document_blocks (document_id, block_number, page_number, kind, text, content, box)
  select p_id, b.at, (b.row ->> 'page')::int, b.row ->> 'kind', b.row ->> 'text', coalesce(b.row -> 'content', '{}'),
    array(select jsonb_array_elements_text(b.row -> 'box'))::real[]
  from jsonb_array_elements(p_blocks) with ordinality b(row, at);
  return jsonb_array_length(p_blocks);
end
$$;
comment on function mill.write_blocks(uuid, jsonb) is 'Replaces a document''s blocks.';
revoke execute on function mill.write_blocks(uuid, jsonb) from public;

create or replace function mill.write_entities(p_id uuid, p_entities jsonb) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.document_entities e where e.document_id = p_id;
  insert into public.document_entities (document_id, entity_number, kind, text, detail, page_number, box, confidence)
  select p_id, e.at, e.row ->> 'kind', e.row ->> 'text', coalesce(e.row -> 'detail', '{}'), (e.row ->> 'page')::int,
    case when jsonb_typeof(e.row -> 'box') = 'array' then array(select jsonb_array_elements_text(e.row -> 'box'))::real[] end,
    (e.row ->> 'confidence')::real
  from jsonb_array_elements(p_entities) with ordinality e(row, at);
  return jsonb_array_length(p_entities);
end
$$;
comment on function mill.write_entities(uuid, jsonb) is 'Replaces a document''s entities.';
revoke execute on function mill.write_entities(uuid, jsonb) from public;

create or replace function mill.write_facts(p_id uuid, p_facts jsonb) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.document_facts f where f.document_id = p_id;
  insert into public.document_facts (document_id, fact_number, kind, name, value, code_system, code, page_number, box, confidence, status, certainty, decided_by, written, doubts)
  select p_id, f.at, f.row ->> 'kind', f.row ->> 'name', f.row -> 'value', f.row ->> 'code_system', f.row ->> 'code', (f.row ->> 'page')::int,
    case when jsonb_typeof(f.row -> 'box') = 'array' then array(select jsonb_array_elements_text(f.row -> 'box'))::real[] end,
    (f.row ->> 'confidence')::real, coalesce(f.row ->> 'status', 'current'), coalesce(f.row ->> 'certainty', 'certain'),
    nullif(f.row -> 'decided_by', 'null'), f.row ->> 'written', coalesce(nullif(f.row -> 'doubts', 'null'), '[]')
  from jsonb_array_elements(p_facts) with ordinality f(row, at);
  return jsonb_array_length(p_facts);
end
$$;
comment on function mill.write_facts(uuid, jsonb) is 'Replaces a document''s facts.';
revoke execute on function mill.write_facts(uuid, jsonb) from public;

create or replace function mill.write_narrative(p_id uuid, p_narrative jsonb) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.document_narratives (document_id, sentences, timeline)
  values (p_id, p_narrative -> 'sentences', p_narrative -> 'timeline')
  on conflict (document_id) do update set sentences = excluded.sentences, timeline = excluded.timeline;
  return jsonb_array_length(p_narrative -> 'sentences');
end
$$;
comment on function mill.write_narrative(uuid, jsonb) is 'Replaces a document''s narrative.';
revoke execute on function mill.write_narrative(uuid, jsonb) from public;
