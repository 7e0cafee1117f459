create or replace function mill.end_refused(p_file public.shell_files, p_job_id uuid, p_status text, p_error jsonb, p_place text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  update public.shell_files f set
    status = p_status, storage_path = mill.key_within(f.bucket, p_place), verdict = p_error - array['worker', 'attempt'], updated_at = mill.now(), version = f.version + 1,
    processing_error = mill.noted_errors(f.processing_error, jsonb_build_array(p_error || jsonb_build_object('at', mill.now())))
  where f.id = p_file.id;
  perform mill.audit('shell_files', p_file.id::text, 'UPDATE', null, jsonb_build_object('status', p_status, 'type', p_error ->> 'type'),
    'refused by the security stage', 'documents', p_file.patient_id, p_job_id);
end
$$;
comment on function mill.end_refused(public.shell_files, uuid, text, jsonb, text) is 'Ends a document as refused or infected, with its file at a place that nothing serves.';
revoke execute on function mill.end_refused(public.shell_files, uuid, text, jsonb, text) from public;

-- The pipeline ends here: the document and the job of its security stage end in one transaction. The object was moved to p_place before:
-- nothing serves it any more. p_measured: {size, sha256, mime_type}. p_outcome: {result, usage} of the job, see mill.settle.
create or replace function public.refuse_document(
  p_job uuid, p_worker text, p_attempt int, p_status text, p_error jsonb, p_place text, p_measured jsonb default null,
  p_outcome jsonb default '{}')
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_file public.shell_files := mill.document_of_job(v_holder);
begin
  if v_file.id is null then
    return mill.is_completed_by(v_holder); -- true: this call repeats one whose answer was lost
  end if;
  if p_measured is not null then
    perform mill.measure_upload(v_file, p_job, p_measured);
  end if;
  perform mill.end_refused(v_file, p_job, p_status, p_error || jsonb_build_object('worker', p_worker, 'attempt', p_attempt), p_place);
  return mill.settle_held(v_holder, p_outcome || '{"outcome": "completed"}');
end
$$;

comment on function public.refuse_document(uuid, text, int, text, jsonb, text, jsonb, jsonb) is
  'Ends a document as refused or infected, and its job with it; false when the lease is lost, and then nothing has changed. A repeated call answers true.';
revoke execute on function public.refuse_document(uuid, text, int, text, jsonb, text, jsonb, jsonb) from public, anon, authenticated;
grant execute on function public.refuse_document(uuid, text, int, text, jsonb, text, jsonb, jsonb) to service_role;
