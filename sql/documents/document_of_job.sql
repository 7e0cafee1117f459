-- Fences every word of a stage: the document of a job that this worker holds in this attempt, locked, and only while
-- the job has the document's current stage. Null otherwise: the lease is lost, the document is being erased, or the stage has ended.
--
-- The job's row stays locked to the end of the transaction, so reclaim cannot take it meanwhile.
create or replace function mill.document_of_job(p_job_id uuid, p_worker text, p_attempt int) returns public.shell_files
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
  v_file public.shell_files;
begin
  select j.payload, j.kind into v_job from mill.job_live j
  where j.id = p_job_id and j.state = 'processing' and j.worker = p_worker and j.attempt = p_attempt and not j.cancel_requested
  for no key update;
  if not found then
    return null;
  end if;
  select f.* into v_file from public.shell_files f
  where f.id = mill.document_named(v_job.payload) and f.stage = mill.kind_stage(v_job.kind)
    and coalesce(v_job.payload -> 'run', to_jsonb(f.run)) = to_jsonb(f.run)
    and coalesce(f.stage_jobs ->> f.stage, p_job_id::text) = p_job_id::text
    and f.status in ('uploaded', 'processing')
  for no key update;
  return v_file;
end
$$;

comment on function mill.document_of_job(uuid, text, int) is 'The document that a held job is about, locked; null when the holder has nothing to say any more.';
revoke execute on function mill.document_of_job(uuid, text, int) from public;
