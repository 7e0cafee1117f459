-- A stage whose job became a dead letter fails its document: whether the worker said so, the attempts are used up or the workers were lost.
-- Only the job that began the stage counts, or the pipeline's own job that never began it: any other job's end says nothing about the document.
create or replace function mill.bury_documents(p_acted jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_acted ->> 'action' <> 'dead' then
    return;
  end if;
  update public.shell_files f set
    status = 'failed', updated_at = mill.now(), version = f.version + 1,
    processing_error = mill.noted_errors(f.processing_error, coalesce(d.error_log, jsonb_build_array(d.error)))
  from mill.job_dead d
  where d.id = any (array(select j::uuid from jsonb_array_elements_text(p_acted -> 'jobs') j)) and d.queue in ('fast', 'ai')
    and f.id = mill.document_named(d.payload) and f.stage = mill.stage_of_kind(d.kind) and f.status in ('uploaded', 'processing')
    and case when f.stage_jobs ? f.stage then f.stage_jobs ->> f.stage = d.id::text
      else d.dedupe_key = mill.stage_key(f.id, f.run, f.stage) end;
end
$$;

comment on function mill.bury_documents(jsonb) is 'Hook of acted: marks the documents of dead letters failed.';
revoke execute on function mill.bury_documents(jsonb) from public;

insert into mill.hook (event, routine, place) values ('acted', 'mill.bury_documents', 50)
on conflict (event, routine) do update set place = excluded.place;
