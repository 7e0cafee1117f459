-- Fences every write of a stage: the document of a held job, locked, and only while the job has the document's current stage.
-- Null otherwise: the lease is lost, the document is being erased, or the stage has ended.
create or replace function mill.document_of_job(p_holder mill.holder) returns public.shell_files
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job mill.job_live := mill.held_job(p_holder);
  v_file public.shell_files;
begin
  if v_job.id is null then
    return null;
  end if;
  select f.* into v_file from public.shell_files f
  where f.id = mill.document_named(v_job.payload) and f.stage = mill.stage_of_kind(v_job.kind)
    and coalesce(v_job.payload -> 'run', to_jsonb(f.run)) = to_jsonb(f.run)
    and coalesce(f.stage_jobs ->> f.stage, v_job.id::text) = v_job.id::text
    and f.status in ('uploaded', 'processing')
  for no key update;
  return v_file;
end
$$;

comment on function mill.document_of_job(mill.holder) is 'The document that a held job is about, locked; null when the holder has nothing to say any more.';
revoke execute on function mill.document_of_job(mill.holder) from public;
