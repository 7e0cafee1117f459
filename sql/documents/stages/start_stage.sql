-- Enqueues a stage of a document''s current run. The dedupe key makes a second one impossible while the first lives.
create or replace function mill.start_stage(p_id uuid, p_stage text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file public.shell_files;
begin
  update public.shell_files f set stage = p_stage, updated_at = mill.now(), version = f.version + 1
  where f.id = p_id returning f.* into v_file;
  perform mill.enqueue(jsonb_build_array(jsonb_build_object(
    'kind', mill.kind_of_stage(p_stage),
    'payload', jsonb_build_object('document_id', p_id, 'run', v_file.run, 'stage', p_stage),
    'dedupe_key', mill.stage_key(p_id, v_file.run, p_stage),
    'owner', v_file.uploaded_by, 'group_key', v_file.uploaded_by, 'correlation_id', mill.correlation_id())));
end
$$;

comment on function mill.start_stage(uuid, text) is 'Moves a document to a stage and enqueues it.';
revoke execute on function mill.start_stage(uuid, text) from public;
