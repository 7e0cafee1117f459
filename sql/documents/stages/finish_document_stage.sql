-- A stage's rows, the document's next step, the next job and the end of this job are one transaction: all or nothing. p_result: {verdict, page_count, size, sha256, mime_type, place}
-- of security, {page_count, pages: those not yet saved} of ocr, {blocks}, {entities}, {facts}, {sentences, timeline} of the others; doubts
-- [{reason, page, box, text, fact}] of any; usage {tokens, seconds} and raw {answer} where a model was asked. p_outcome: {result, usage} of the job, see mill.settle.
create or replace function public.finish_document_stage(
  p_job uuid, p_worker text, p_attempt int, p_result jsonb, p_outcome jsonb default '{}')
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_file public.shell_files := mill.document_of_job(v_holder);
  v_next text := mill.stage_after(v_file.stage);
  v_rows int;
  v_over text[] := '{}'::text[];
begin
  if v_file.id is null then
    return mill.is_completed_by(v_holder); -- true: this call repeats one whose answer was lost
  end if;
  if v_file.stage = 'security' and p_result ? 'size' then
    v_over := mill.measure_upload(v_file, p_job, p_result);
    perform mill.keep_scanned(v_file, p_result ->> 'place');
  end if;
  -- The uploader said fewer bytes than it stored, and the plan does not cover them.
  if v_over <> '{}' then
    perform mill.end_refused(v_file, p_job, 'refused', jsonb_build_object('type', 'unsupported', 'reason', 'plan_limit',
      'message', format('the plan does not cover its size: %s', array_to_string(v_over, ', ')), 'retryable', false),
      coalesce(p_result ->> 'place', v_file.storage_path));
    return mill.settle_held(v_holder, p_outcome || '{"outcome": "completed"}');
  end if;
  -- Pages beyond the last are of an earlier run.
  if v_file.stage = 'ocr' then
    perform mill.write_page(v_file, p_job, p.page) from jsonb_array_elements(p_result -> 'pages') p(page);
    delete from public.document_pages p where p.document_id = v_file.id and p.page_number > (p_result ->> 'page_count')::int;
  end if;
  v_rows := case v_file.stage
    when 'spatial' then mill.write_blocks(v_file.id, p_result -> 'blocks')
    when 'pass1' then mill.write_entities(v_file.id, p_result -> 'entities')
    when 'pass2' then mill.write_facts(v_file.id, p_result -> 'facts')
    when 'pass3' then mill.write_narrative(v_file.id, p_result) end;
  perform mill.write_doubts(v_file.id, v_file.stage, mill.found_doubts(v_file.id, v_file.stage) || coalesce(nullif(p_result -> 'doubts', 'null'), '[]'));
  update public.shell_files f set
    status = case when v_next is not null then 'processing'
      when exists (select from public.document_doubts d where d.document_id = f.id) then 'needs_review' else 'completed' end,
    completed_at = case when v_next is null then mill.now() end,
    verdict = coalesce(p_result -> 'verdict', f.verdict),
    page_count = coalesce((p_result ->> 'page_count')::int, f.page_count),
    processing_error = mill.resolved_errors(f.processing_error) || mill.counted_calls(f.processing_error, p_result -> 'usage'),
    updated_at = mill.now(), version = f.version + 1
  where f.id = v_file.id;
  perform mill.audit('documents.' || v_file.stage, v_file.id::text, 'UPDATE', null, jsonb_build_object('stage', v_file.stage, 'rows', v_rows),
    'processed', 'documents', v_file.patient_id, p_job);
  if p_result ? 'raw' and mill.setting('documents.keep_raw_answers', 'false')::boolean then
    insert into mill.document_raw (document_id, stage, at, answer) values (v_file.id, v_file.stage, mill.now(), p_result #>> '{raw,answer}');
  end if;
  perform mill.count_stage(v_file, p_job, p_result);
  if v_next is not null then
    perform mill.start_stage(v_file.id, v_next);
  end if;
  return mill.settle_held(v_holder, p_outcome || '{"outcome": "completed"}');
end
$$;

comment on function public.finish_document_stage(uuid, text, int, jsonb, jsonb) is
  'Writes what a stage found, moves the document on and completes the job; false when the lease is lost, and then nothing has changed. A repeated call answers true.';
revoke execute on function public.finish_document_stage(uuid, text, int, jsonb, jsonb) from public, anon, authenticated;
grant execute on function public.finish_document_stage(uuid, text, int, jsonb, jsonb) to service_role;
