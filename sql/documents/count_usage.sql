-- Where documents meet usage: see sql/usage. Counting never fails an upload or a stage.
create or replace function mill.count_upload(p_profile_id uuid, p_document_id uuid, p_size bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform public.track_shell_file_upload_usage(p_profile_id, p_document_id, p_size, 1);
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_document_id, 'sqlstate', sqlstate, 'message', sqlerrm));
end
$$;
comment on function mill.count_upload(uuid, uuid, bigint) is 'Counts an upload towards its profile''s usage.';
revoke execute on function mill.count_upload(uuid, uuid, bigint) from public;

create or replace function mill.count_stage(p_file public.shell_files, p_job_id uuid, p_result jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_file.stage like 'pass%' then
    perform public.track_ai_processing_usage(p_file.patient_id, p_file.id, coalesce((p_result #>> '{usage,tokens}')::bigint, 0),
      coalesce((p_result #>> '{usage,seconds}')::numeric, 0), p_job_id);
  end if;
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_file.id, 'sqlstate', sqlstate, 'message', sqlerrm));
end
$$;
comment on function mill.count_stage(public.shell_files, uuid, jsonb) is 'Counts a model call towards its profile''s usage.';
revoke execute on function mill.count_stage(public.shell_files, uuid, jsonb) from public;

create or replace function mill.uncount_storage(p_profile_id uuid, p_document_id uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.release_storage(p_profile_id, p_document_id);
exception when others then
  insert into mill.event (at, code, detail) values (mill.now(), 'usage_not_counted',
    jsonb_build_object('document', p_document_id, 'sqlstate', sqlstate, 'message', sqlerrm));
end
$$;
comment on function mill.uncount_storage(uuid, uuid) is 'Gives an erased file''s storage back to its profile.';
revoke execute on function mill.uncount_storage(uuid, uuid) from public;
