-- The pipeline ends here. The object was moved to p_place before: nothing serves it any more.
create or replace function public.refuse_document(
  p_job_id uuid, p_worker text, p_attempt int, p_status text, p_error jsonb, p_place text)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.document_of_job(p_job_id, p_worker, p_attempt);
begin
  if v_file.id is null then
    return false;
  end if;
  update public.shell_files f set
    status = p_status, storage_path = p_place, verdict = p_error, updated_at = mill.now(), version = f.version + 1,
    processing_error = f.processing_error || jsonb_build_object('current_error', mill.document_error(
      p_error || jsonb_build_object('worker', p_worker, 'attempt', p_attempt, 'at', mill.now())))
  where f.id = v_file.id;
  perform mill.audit('shell_files', v_file.id::text, 'UPDATE', null, jsonb_build_object('status', p_status, 'type', p_error ->> 'type'),
    'refused by the security stage', 'documents', v_file.patient_id, p_job_id);
  return true;
end
$$;

comment on function public.refuse_document(uuid, text, int, text, jsonb, text) is
  'Ends a document as refused or infected; false when the lease is lost.';
revoke execute on function public.refuse_document(uuid, text, int, text, jsonb, text) from public, anon, authenticated;
grant execute on function public.refuse_document(uuid, text, int, text, jsonb, text) to service_role;
