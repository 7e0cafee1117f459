-- A new run, from the security stage on. Jobs of the run before are refused; what is there stays until
-- a stage of the new run replaces it.
create or replace function public.reprocess_document(p_id uuid) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.require_document(p_id);
begin
  perform mill.refuse_in_maintenance();
  if v_file.status not in ('completed', 'needs_review', 'failed') then
    raise exception 'a document that is % cannot be processed again', v_file.status using errcode = 'GM048';
  end if;
  update public.shell_files f set run = f.run + 1, status = 'uploaded', stage_jobs = '{}', completed_at = null, review = null, processing_error = mill.resolved_errors(f.processing_error)
  where f.id = p_id;
  perform mill.start_stage(p_id, 'security');
  perform mill.audit('shell_files', p_id::text, 'UPDATE', null, jsonb_build_object('run', v_file.run + 1), 'processed again on request', 'documents', v_file.patient_id);
  return jsonb_build_object('id', p_id, 'run', v_file.run + 1);
end
$$;
comment on function public.reprocess_document(uuid) is 'Starts a finished or failed document over.';
revoke execute on function public.reprocess_document(uuid) from public, anon;
grant execute on function public.reprocess_document(uuid) to authenticated, service_role;
