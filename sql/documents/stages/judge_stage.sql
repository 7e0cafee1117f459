-- Whether a job may begin a stage of a document now. A job that may not is told why, so that it ends with a true outcome: nothing is
-- completed unless its work was done.
--
-- A job of the compatible API names only the document, perhaps with its storage_path. Its stage is that of its kind, its run the
-- current one. It may take a stage over from the job that the pipeline has enqueued, while that one is not running; the pipeline's job
-- then finds the stage done. A job of a failed document takes its stage up again: that is how a dead letter is retried.
create or replace function mill.judge_stage(p_file public.shell_files, p_job_id uuid, p_kind text, p_payload jsonb) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_stage text := mill.stage_of_kind(p_kind);
  v_holder uuid := (p_file.stage_jobs ->> v_stage)::uuid;
  v_is_retryable boolean := false;
  v_type text;
  v_message text;
begin
  if mill.document_named(p_payload) is null then
    v_type := 'unknown_document';
    v_message := 'the payload names no document: shell_file_id must be the id of one';
  elsif p_file.id is null then
    v_type := 'unknown_document';
    v_message := format('there is no document %s', mill.document_named(p_payload));
  elsif p_file.status = 'erasing' then
    v_type := 'erased';
    v_message := format('document %s is being erased', p_file.id);
  elsif p_file.status = 'uploading' then
    v_type := 'not_uploaded';
    v_message := format('the file of document %s is not stored yet', p_file.id);
    v_is_retryable := true;
  elsif p_payload ? 'storage_path' and (p_payload ->> 'storage_path') is distinct from p_file.storage_path
    and (p_payload ->> 'storage_path') is distinct from p_file.upload_path
  then
    v_type := 'other_file';
    v_message := format('storage_path is not where the file of document %s lies', p_file.id);
  elsif p_file.status in ('refused', 'infected') then
    v_type := 'refused';
    v_message := format('document %s was refused by the security stage', p_file.id);
  elsif p_payload ? 'run' and p_payload -> 'run' <> to_jsonb(p_file.run) then
    v_type := 'other_run';
    v_message := format('the job is of run %s of document %s, which is in run %s', p_payload ->> 'run', p_file.id, p_file.run);
  elsif p_file.status in ('completed', 'needs_review') or mill.stage_number(v_stage) < mill.stage_number(p_file.stage) then
    return jsonb_build_object('outcome', 'done', 'stage', v_stage, 'by_job', v_holder);
  elsif mill.stage_number(v_stage) > mill.stage_number(p_file.stage) then
    v_type := 'not_reached';
    v_message := format('document %s %s in stage %s, before %s', p_file.id,
      case p_file.status when 'failed' then 'failed' else 'is' end, p_file.stage, v_stage);
    v_is_retryable := p_file.status <> 'failed';
  elsif v_holder <> p_job_id and exists (select from mill.job_live j where j.id = v_holder and j.state = 'processing') then
    return jsonb_build_object('outcome', 'busy', 'by_job', v_holder);
  else
    return null;
  end if;
  return jsonb_build_object('outcome', 'refused', 'type', v_type, 'message', v_message, 'retryable', v_is_retryable);
end
$$;

comment on function mill.judge_stage(public.shell_files, uuid, text, jsonb) is
  'Null when the job may begin its stage; otherwise {outcome: done, by_job}, {outcome: busy, by_job} or {outcome: refused, type, message, retryable}.';
revoke execute on function mill.judge_stage(public.shell_files, uuid, text, jsonb) from public;
