-- Where documents meet usage: see sql/usage. Counting never fails an upload or a stage. What could not be counted is counted later, by mill.count_again.
create or replace function mill.count_upload(p_profile_id uuid, p_document_id uuid, p_size bigint, p_blocks boolean) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answer jsonb;
begin
  v_answer := mill.count_usage(p_profile_id, 'shell_file_uploaded', p_document_id::text,
    jsonb_build_object('files', 1, 'pages', 1, 'bytes', p_size), p_document_id, p_blocks => p_blocks);
  return case when (v_answer ->> 'allowed')::boolean then '{}'::text[] else array(select jsonb_array_elements_text(v_answer -> 'over')) end;
exception when others then
  perform mill.note_uncounted('count', jsonb_build_object('profile', p_profile_id, 'event', 'shell_file_uploaded', 'key', p_document_id,
    'counts', jsonb_build_object('files', 1, 'pages', 1, 'bytes', p_size), 'document', p_document_id), sqlstate, sqlerrm);
  return '{}'::text[];
end
$$;
comment on function mill.count_upload(uuid, uuid, bigint, boolean) is
  'Counts an upload towards its profile''s usage; answers the meters that forbid it, and then it was not counted.';
revoke execute on function mill.count_upload(uuid, uuid, bigint, boolean) from public;

-- The size of a file is known for sure when the security stage has read it. Where the upload was counted with another size, the event and
-- what the profile has stored get the measured one.
create or replace function mill.put_measured_size(p_profile_id uuid, p_document_id uuid, p_size bigint) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_counted bigint;
begin
  if not mill.is_enabled('usage_tracking') then
    return '{}'::text[];
  end if;
  select (e.counts ->> 'bytes')::bigint into v_counted from mill.usage_event e
  where e.profile_id = p_profile_id and e.event_type = 'shell_file_uploaded' and e.once_key = p_document_id::text
  for update;
  if not found then
    return mill.count_upload(p_profile_id, p_document_id, p_size, false);
  end if;
  if v_counted = p_size then
    return '{}'::text[];
  end if;
  update mill.usage_event e set counts = e.counts || jsonb_build_object('bytes', p_size)
  where e.profile_id = p_profile_id and e.event_type = 'shell_file_uploaded' and e.once_key = p_document_id::text;
  perform mill.add_usage(p_profile_id, jsonb_build_object('bytes', p_size - v_counted), mill.now());
  return array(
    select m.meter from mill.usage_meters(p_profile_id, mill.usage_month(mill.now())) m
    where m.meter = 'storage_mb' and m.is_over and p_size > v_counted and mill.is_enabled('billing'));
end
$$;
comment on function mill.put_measured_size(uuid, uuid, bigint) is 'Does what mill.correct_upload does, and fails where that waits for another time.';
revoke execute on function mill.put_measured_size(uuid, uuid, bigint) from public;

create or replace function mill.correct_upload(p_profile_id uuid, p_document_id uuid, p_size bigint) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return mill.put_measured_size(p_profile_id, p_document_id, p_size);
exception when others then
  perform mill.note_uncounted('measure', jsonb_build_object('profile', p_profile_id, 'document', p_document_id, 'size', p_size), sqlstate, sqlerrm);
  return '{}'::text[];
end
$$;
comment on function mill.correct_upload(uuid, uuid, bigint) is
  'Puts the measured size of a file in the place of the one that was counted; answers the meters that forbid it, where more was stored than was said.';
revoke execute on function mill.correct_upload(uuid, uuid, bigint) from public;

-- Before anything is sent: what would be past its limit with one file more, while billing is on. Not exact, because two may ask at
-- once; mill.count_upload is.
create or replace function mill.upload_over_plan(p_profile_id uuid) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select m.meter from mill.usage_meters(p_profile_id, mill.usage_month(mill.now())) m
    where m.used + case when m.meter in ('files', 'pages') then 1 else 0 end > m.allowed order by 1)
  where mill.is_enabled('billing') and mill.is_enabled('usage_tracking')
$$;
comment on function mill.upload_over_plan(uuid) is 'The meters that one more file would exceed, while billing is on.';
revoke execute on function mill.upload_over_plan(uuid) from public;

-- What a stage says while it works and when it ends. Never blocks: the work was allowed when it was enqueued.
create or replace function mill.count_work(p_file public.shell_files, p_job_id uuid, p_event text, p_counts jsonb, p_part text default '')
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.count_usage(p_file.patient_id, p_event, p_job_id || p_part, p_counts, p_file.id, p_job_id, p_blocks => false);
exception when others then
  perform mill.note_uncounted('count', jsonb_build_object('profile', p_file.patient_id, 'event', p_event, 'key', p_job_id || p_part, 'counts', p_counts,
    'document', p_file.id, 'job', p_job_id), sqlstate, sqlerrm);
end
$$;
comment on function mill.count_work(public.shell_files, uuid, text, jsonb, text) is
  'Counts an event of a document''s job towards its profile''s usage, once a job, or once a part of it.';
revoke execute on function mill.count_work(public.shell_files, uuid, text, jsonb, text) from public;

create or replace function mill.count_stage(p_file public.shell_files, p_job_id uuid, p_result jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_file.stage like 'pass%' then
    perform mill.count_work(p_file, p_job_id, 'ai_processing_completed',
      mill.ai_counts((p_result #>> '{usage,tokens}')::bigint, (p_result #>> '{usage,seconds}')::numeric));
  elsif p_file.stage = 'ocr' then
    -- Its pages are known now; the upload had counted one.
    perform public.track_shell_file_processed_usage(p_file.patient_id, p_file.id, (p_result ->> 'page_count')::int);
  end if;
exception when others then
  perform mill.note_uncounted('process', jsonb_build_object('profile', p_file.patient_id, 'document', p_file.id, 'pages', (p_result ->> 'page_count')::int), sqlstate, sqlerrm);
end
$$;
comment on function mill.count_stage(public.shell_files, uuid, jsonb) is 'Counts what a stage used towards its profile''s usage.';
revoke execute on function mill.count_stage(public.shell_files, uuid, jsonb) from public;

create or replace function mill.uncount_storage(p_profile_id uuid, p_document_id uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.release_storage(p_profile_id, p_document_id);
exception when others then
  perform mill.note_uncounted('release', jsonb_build_object('profile', p_profile_id, 'document', p_document_id), sqlstate, sqlerrm);
end
$$;
comment on function mill.uncount_storage(uuid, uuid) is 'Gives an erased file''s storage back to its profile.';
revoke execute on function mill.uncount_storage(uuid, uuid) from public;
