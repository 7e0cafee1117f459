-- A stage whose job became a dead letter: whether its worker said so, its attempts are used up or its workers were
-- lost, the row of job_dead is the one place where all of that arrives. Few jobs die, so the trigger costs nothing.
create or replace function mill.bury_document() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update public.shell_files f set
    status = 'failed', updated_at = mill.now(), version = f.version + 1,
    processing_error = mill.noted_errors(f.processing_error, coalesce(new.error_log, jsonb_build_array(new.error)))
  where f.id = mill.document_named(new.payload) and f.stage = mill.kind_stage(new.kind) and f.status in ('uploaded', 'processing')
    -- The job that began the stage, or the pipeline's own job that never got to begin it: any other job's end says nothing about the document.
    and case when f.stage_jobs ? f.stage then f.stage_jobs ->> f.stage = new.id::text
      else new.dedupe_key = mill.stage_key(f.id, f.run, f.stage) end;
  return null;
end
$$;

comment on function mill.bury_document() is 'Marks the document of a dead letter failed.';
revoke execute on function mill.bury_document() from public;

drop trigger if exists bury_document on mill.job_dead;
create trigger bury_document after insert on mill.job_dead
for each row when (new.payload ?| array['document_id', 'shell_file_id'] and new.queue in ('fast', 'ai')) execute function mill.bury_document();
