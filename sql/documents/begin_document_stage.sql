create or replace function public.begin_document_stage(p_job_id uuid, p_worker text, p_attempt int) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.document_of_job(p_job_id, p_worker, p_attempt);
begin
  if v_file.id is null then
    return null;
  end if;
  update public.shell_files f set status = 'processing', updated_at = mill.now(), version = f.version + 1,
    -- What an earlier attempt met, also when its worker was never heard of again.
    processing_error = mill.noted_errors(f.processing_error, (select j.error_log from mill.job_live j where j.id = p_job_id))
  where f.id = v_file.id;
  if v_file.stage like 'pass%' then
    perform mill.count_work(v_file, p_job_id, 'ai_processing_started', '{}');
  end if;
  return jsonb_build_object(
    'id', v_file.id, 'patient_id', v_file.patient_id, 'stage', v_file.stage, 'mime_type', v_file.mime_type,
    'storage_path', v_file.storage_path, 'sha256', v_file.sha256, 'file_size_bytes', v_file.file_size_bytes, 'page_count', v_file.page_count);
end
$$;

comment on function public.begin_document_stage(uuid, text, int) is
  'What a stage works on; null when there is nothing to do any more: lost, erased, reprocessed or done.';
revoke execute on function public.begin_document_stage(uuid, text, int) from public, anon, authenticated;
grant execute on function public.begin_document_stage(uuid, text, int) to service_role;
