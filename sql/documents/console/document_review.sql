-- Why a person should look at a document: it did not come through, or what was read of it is in doubt. Empty where nothing speaks for it.
-- A document of a release that noted no doubts is judged by its confidences, until somebody has reviewed it.
create or replace function mill.document_review(p_file public.shell_files) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('reasons', mill.doubt_reasons(p_file) || to_jsonb(array_remove(array[
      case when p_file.status in ('failed', 'refused', 'infected') then p_file.status end,
      case when w.is_unjudged and f.unsure > 0 then 'unsure_facts' end,
      case when w.is_unjudged and p.unsure > 0 then 'unsure_pages' end], null)),
    'doubts', (select count(*)::int from public.document_doubts d where d.document_id = p_file.id and p_file.status = 'needs_review'),
    'facts', f.facts, 'unsure_facts', f.unsure, 'least_confidence', least(f.least, p.least), 'unsure_pages', p.unsure)
  from (select mill.confidence_thresholds() as enough) s
  cross join lateral (select p_file.status = 'completed' and p_file.review is null as is_unjudged) w
  cross join lateral (
    select count(*)::int as facts, count(*) filter (where f.confidence < (s.enough ->> 'fact')::real)::int as unsure, min(f.confidence) as least
    from public.document_facts f where f.document_id = p_file.id) f
  cross join lateral (
    select count(*) filter (where p.confidence < (s.enough ->> 'page')::real)::int as unsure, min(p.confidence) as least
    from public.document_pages p where p.document_id = p_file.id) p
$$;

comment on function mill.document_review(public.shell_files) is 'Why a person should look at a document: {reasons, doubts, facts, unsure_facts, unsure_pages, least_confidence}.';
revoke execute on function mill.document_review(public.shell_files) from public;
