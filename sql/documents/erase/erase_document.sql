-- Tombstone first: what was read is gone at once, jobs are cancelled, the row stays until its objects are gone.
-- Jobs are locked before the document, as everywhere. Only whose profile it is may erase: whoever was let in reads and adds.
create or replace function public.begin_erase_document(p_id uuid) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_jobs uuid[];
  v_file public.shell_files;
begin
  perform mill.refuse_in_maintenance();
  if (mill.reached_document(p_id, true)).id is not null then
    select array_agg(j.id) into v_jobs from mill.job_live j
    where j.queue in ('fast', 'ai') and j.dedupe_key like 'document:' || p_id || ':%';
    perform mill.cancel(v_jobs);
  end if;
  v_file := mill.require_document(p_id, true);
  if v_file.status <> 'erasing' then
    delete from public.document_pages p where p.document_id = p_id;
    delete from public.document_blocks b where b.document_id = p_id;
    delete from public.document_entities e where e.document_id = p_id;
    delete from public.document_facts f where f.document_id = p_id;
    delete from public.document_narratives n where n.document_id = p_id;
    delete from public.document_doubts d where d.document_id = p_id;
    delete from mill.document_raw r where r.document_id = p_id;
    update public.shell_files f set status = 'erasing', original_filename = null, processing_error = '{}', verdict = null, review = null,
      updated_at = mill.now(), version = f.version + 1
    where f.id = p_id;
    perform mill.audit('shell_files', p_id::text, 'DELETE', null, jsonb_build_object('phase', 'begun'), 'erased on request', 'documents', v_file.patient_id);
  end if;
  return jsonb_build_object('places', coalesce(
    (select jsonb_agg(p.place) from (
      select mill.object_named(v_file.bucket, v_file.storage_path) as place where v_file.storage_path is not null
      -- A worker that died after it had copied the file may have left this one.
      union select mill.object_named(v_file.bucket, v_file.upload_path) where v_file.upload_path is not null
      union select u.place from mill.document_upload u where u.document_id = p_id) p), '[]'));
end
$$;
comment on function public.begin_erase_document(uuid) is 'Erases what was read out of a document and marks it erasing; answers the places of its objects.';
revoke execute on function public.begin_erase_document(uuid) from public, anon;
grant execute on function public.begin_erase_document(uuid) to authenticated, service_role;

create or replace function public.finish_erase_document(p_id uuid) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files := mill.require_document(p_id, true);
begin
  delete from public.shell_files f where f.id = p_id and f.status = 'erasing';
  if not found then
    return false;
  end if;
  perform mill.audit('shell_files', p_id::text, 'DELETE', jsonb_build_object('sha256', v_file.sha256), null, 'object, rows and derived text are gone', 'documents', v_file.patient_id);
  perform mill.uncount_storage(v_file.patient_id, p_id);
  return true;
end
$$;
comment on function public.finish_erase_document(uuid) is 'Its objects are gone: the row of an erasing document goes too.';
revoke execute on function public.finish_erase_document(uuid) from public, anon;
grant execute on function public.finish_erase_document(uuid) to authenticated, service_role;
