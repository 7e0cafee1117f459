-- Saying a page again replaces it.
create or replace function mill.write_page(p_file public.shell_files, p_job_id uuid, p_page jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_number int := (p_page ->> 'number')::int;
begin
  delete from public.document_pages p where p.document_id = p_file.id and p.page_number = v_number;
  insert into public.document_pages (document_id, page_number, source, width, height, confidence, text, job_id, orientation, turned, language, doubts)
  values (p_file.id, v_number, p_page ->> 'source', (p_page ->> 'width')::real, (p_page ->> 'height')::real,
    (p_page ->> 'confidence')::real, p_page ->> 'text', p_job_id,
    (p_page ->> 'orientation')::smallint, coalesce((p_page ->> 'turned')::real, 0), p_page ->> 'language', coalesce(nullif(p_page -> 'doubts', 'null'), '[]'));
  insert into public.document_words (document_id, page_number, word_number, text, box, confidence, line_number)
  select p_file.id, v_number, w.at, w.word ->> 't', array(select jsonb_array_elements_text(w.word -> 'b'))::real[],
    (w.word ->> 'c')::real, (w.word ->> 'l')::int
  from jsonb_array_elements(p_page -> 'words') with ordinality w(word, at);
  perform mill.count_work(p_file, p_job_id, 'page_extracted', '{}', format('/%s', v_number));
  perform mill.audit('document_pages', format('%s/%s', p_file.id, v_number), 'INSERT', null,
    jsonb_build_object('words', jsonb_array_length(p_page -> 'words')), 'ocr', 'documents', p_file.patient_id, p_job_id);
end
$$;
comment on function mill.write_page(public.shell_files, uuid, jsonb) is 'Keeps a page {number, source, width, height, confidence, text, orientation, turned, language, doubts, words: [{t, b, c, l}]}.';
revoke execute on function mill.write_page(public.shell_files, uuid, jsonb) from public;

-- As soon as it is read: a long document is never held whole. The last page goes with finish_document_stage.
create or replace function public.save_document_page(p_job uuid, p_worker text, p_attempt int, p_page jsonb) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.document_of_job((p_job, p_worker, p_attempt)::mill.holder);
begin
  if v_file.id is null then
    return false;
  end if;
  perform mill.write_page(v_file, p_job, p_page);
  return true;
end
$$;

comment on function public.save_document_page(uuid, text, int, jsonb) is 'Keeps a page, as mill.write_page has it; false when the lease is lost.';
revoke execute on function public.save_document_page(uuid, text, int, jsonb) from public, anon, authenticated;
grant execute on function public.save_document_page(uuid, text, int, jsonb) to service_role;
