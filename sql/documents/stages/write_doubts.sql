create or replace function mill.confidence_thresholds() returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'page', mill.setting('documents.min_page_confidence', '0.75')::real,
    'word', mill.setting('documents.min_word_confidence', '0.5')::real,
    'fact', mill.setting('documents.min_fact_confidence', '0.55')::real)
$$;
comment on function mill.confidence_thresholds() is 'Below these confidences a page, a word and a fact are in doubt: {page, word, fact}.';
revoke execute on function mill.confidence_thresholds() from public;

-- What the rows that a stage has written say of themselves: the doubts of pages and facts, and every confidence below its threshold.
-- Postgres compares, so that the answers of a model and the pages of a provider are held to the same thresholds as ours.
create or replace function mill.found_doubts(p_id uuid, p_stage text) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(a.doubt), '[]')
  from (
    select d.doubt || jsonb_build_object('page', p.page_number) as doubt
    from public.document_pages p cross join lateral jsonb_array_elements(p.doubts) d(doubt)
    where p_stage = 'ocr' and p.document_id = p_id
    union all
    select jsonb_build_object('reason', 'low_ocr_confidence', 'page', p.page_number)
    from public.document_pages p
    where p_stage = 'ocr' and p.document_id = p_id and p.confidence < (mill.confidence_thresholds() ->> 'page')::real
      and not p.doubts @> '[{"reason": "low_ocr_confidence"}]'
    union all
    select d.doubt || jsonb_build_object('fact', f.fact_number, 'page', coalesce(nullif(d.doubt -> 'page', 'null'), to_jsonb(f.page_number)))
    from public.document_facts f cross join lateral jsonb_array_elements(f.doubts) d(doubt)
    where p_stage = 'pass2' and f.document_id = p_id
    union all
    select jsonb_build_object('reason', 'low_confidence', 'fact', f.fact_number, 'page', f.page_number, 'box', f.box, 'text', coalesce(f.written, f.name))
    from public.document_facts f
    where p_stage = 'pass2' and f.document_id = p_id and f.confidence < (mill.confidence_thresholds() ->> 'fact')::real
      and not f.doubts @> '[{"reason": "low_confidence"}]'
    union all
    -- The least sure word of those that say it: a misread figure makes a sure row wrong.
    select jsonb_build_object('reason', 'low_confidence', 'fact', f.fact_number, 'page', f.page_number, 'box', w.box, 'text', w.text)
    from public.document_facts f
    cross join lateral (
      select w.text, w.box from public.document_words w
      where w.document_id = p_id and w.page_number = f.page_number and w.confidence < (mill.confidence_thresholds() ->> 'word')::real
        and w.text ~ '[[:alnum:]]' and strpos(f.written, w.text) > 0
        and (w.box[1] + w.box[3]) / 2 between f.box[1] and f.box[3] and (w.box[2] + w.box[4]) / 2 between f.box[2] and f.box[4]
      order by w.confidence limit 1) w
    where p_stage = 'pass2' and f.document_id = p_id and not f.doubts @> '[{"reason": "low_confidence"}]') a
$$;
comment on function mill.found_doubts(uuid, text) is 'The doubts that lie in what a stage has written: [{reason, page, box, text, fact}].';
revoke execute on function mill.found_doubts(uuid, text) from public;

-- A doubt that names no fact goes where the same doubt names one.
create or replace function mill.write_doubts(p_id uuid, p_stage text, p_doubts jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_last int;
begin
  delete from public.document_doubts d where d.document_id = p_id and d.stage = p_stage;
  v_last := coalesce((select max(d.doubt_number) from public.document_doubts d where d.document_id = p_id), 0);
  insert into public.document_doubts (document_id, doubt_number, stage, reason, page_number, box, text, fact_number)
  select p_id, v_last + row_number() over (order by k.page, k.at), p_stage, k.reason, k.page, k.box, left(k.text, 500), k.fact
  from (
    select d.*, row_number() over (partition by d.reason, d.page, d.box, d.text order by d.fact, d.at) as nth,
      row_number() over (partition by d.reason, d.page, d.box, d.text, d.fact order by d.at) as nth_of_fact
    from (
      select e.at, e.doubt ->> 'reason' as reason, (e.doubt ->> 'page')::int as page, e.doubt ->> 'text' as text, (e.doubt ->> 'fact')::int as fact,
        case when jsonb_typeof(e.doubt -> 'box') = 'array' then array(select jsonb_array_elements_text(e.doubt -> 'box'))::real[] end as box
      from jsonb_array_elements(p_doubts) with ordinality e(doubt, at)) d) k
  where k.nth_of_fact = 1 and (k.nth = 1 or k.fact is not null);
end
$$;
comment on function mill.write_doubts(uuid, text, jsonb) is 'Replaces the doubts of a document that a stage has: [{reason, page, box, text, fact}], each once.';
revoke execute on function mill.write_doubts(uuid, text, jsonb) from public;
