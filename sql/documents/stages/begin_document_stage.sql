-- What a stage works on, or why the job has no work. For a file that was not scanned yet the answer has keep_at: the place where the
-- security stage stores the bytes that it has scanned. Each attempt gets a place of its own, so that a late one overwrites nothing.
create or replace function public.begin_document_stage(p_job uuid, p_worker text, p_attempt int) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job mill.job_live := mill.held_job((p_job, p_worker, p_attempt)::mill.holder);
  v_file public.shell_files;
  v_verdict jsonb;
  v_keep_at text;
begin
  if v_job.id is null then
    return null;
  end if;
  select f.* into v_file from public.shell_files f where f.id = mill.document_named(v_job.payload) for no key update;
  v_verdict := mill.judge_stage(v_file, p_job, v_job.kind, v_job.payload);
  if v_verdict is not null then
    return v_verdict;
  end if;
  update public.shell_files f set status = 'processing', updated_at = mill.now(), version = f.version + 1,
    stage_jobs = f.stage_jobs || jsonb_build_object(f.stage, p_job),
    -- What an earlier attempt met, also when its worker was never heard of again.
    processing_error = mill.noted_errors(f.processing_error, v_job.error_log)
  where f.id = v_file.id;
  if v_file.stage like 'pass%' then
    perform mill.count_work(v_file, p_job, 'ai_processing_started', '{}');
  end if;
  if v_file.stage = 'security' and v_file.scanned_at is null then
    v_keep_at := mill.object_named(v_file.bucket,
      format('%s/%s/%s.%s', v_file.patient_id, v_file.id, mill.uuid7(), coalesce(mill.file_extension(v_file.mime_type), 'bin')));
    insert into mill.document_upload (place, document_id, begun_at, is_copy) values (v_keep_at, v_file.id, mill.now(), true);
  end if;
  return jsonb_build_object('outcome', 'work',
    'id', v_file.id, 'patient_id', v_file.patient_id, 'stage', v_file.stage, 'mime_type', v_file.mime_type,
    'storage_path', mill.object_named(v_file.bucket, v_file.storage_path), 'sha256', v_file.sha256, 'file_size_bytes', v_file.file_size_bytes, 'page_count', v_file.page_count,
    'is_scanned', v_file.scanned_at is not null, 'keep_at', v_keep_at, 'max_bytes', mill.max_document_bytes(), 'thresholds', mill.confidence_thresholds())
    -- Read by Google Vision on an earlier try of this job, which had to wait: each cost a call.
    || case when v_file.stage = 'ocr' then jsonb_build_object('language', mill.language_of_profile(v_file.patient_id), 'pages_read', (
      select coalesce(jsonb_agg(p.page_number), '[]') from public.document_pages p
      where p.document_id = v_file.id and p.job_id = p_job and p.source = 'google_vision')) else '{}' end;
end
$$;

comment on function public.begin_document_stage(uuid, text, int) is
  'What a stage works on: {outcome: work, …}, or why the job has no work, as mill.judge_stage says it; null when the lease is lost.';
revoke execute on function public.begin_document_stage(uuid, text, int) from public, anon, authenticated;
grant execute on function public.begin_document_stage(uuid, text, int) to service_role;
