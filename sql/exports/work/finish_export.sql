-- One transaction: the job is completed, the file is kept and can be downloaded. Or none of it: a job that was
-- cancelled or lost meanwhile stays what it is, and cleanup removes the object.
create or replace function public.finish_export(p_job uuid, p_worker text, p_attempt int, p_path text, p_name text, p_pages int, p_note text default null)
  returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_now timestamptz := mill.now();
  v_expires timestamptz := v_now + make_interval(days => mill.setting('exports.expire_days', '7')::int);
  v_export mill.export;
  v_size bigint;
begin
  select e.* into v_export from mill.export e where e.id = p_job;
  perform mill.lock_exports(v_export.owner);
  select f.size into v_size from mill.export_file f
  where f.path = p_path and f.export_id = p_job and f.attempt = p_attempt and f.state = 'writing' for update;
  if v_size is null or not mill.settle_held(v_holder, jsonb_build_object(
    'outcome', 'completed', 'result', jsonb_build_object('file', p_name, 'size', v_size, 'pages', p_pages)))
  then
    perform mill.note_ended_exports(array[p_job]);
    return mill.is_completed_by(v_holder); -- true: this call repeats one whose answer was lost
  end if;
  update mill.export_file f set state = 'stored', expires_at = v_expires where f.path = p_path;
  insert into mill.export_history (
    id, user_id, document_id, version, template, file_name, file_path, file_size, page_count, expires_at, created_at)
  values (p_job, v_export.owner, v_export.document_id, v_export.version, v_export.template, p_name, p_path, v_size, p_pages,
    v_expires, v_now)
  -- A compat worker may have described its file before it completed the job.
  on conflict (id) do update set file_path = excluded.file_path, file_size = excluded.file_size, page_count = excluded.page_count,
    expires_at = excluded.expires_at;
  update mill.export e set ended = 'completed', message = p_note, source = null where e.id = p_job;
  perform mill.note_export(p_job, 'completed', jsonb_strip_nulls(jsonb_build_object('progress', 100, 'attempt', p_attempt, 'message', p_note, 'file',
    jsonb_build_object('name', p_name, 'size', v_size, 'pages', p_pages, 'expires_at', v_expires))));
  return true;
end
$$;

comment on function public.finish_export(uuid, text, int, text, text, int, text) is
  'Completes an export whose file is stored; false when the export was cancelled or lost, and then nothing has changed. A repeated call answers true. The note is what its owner should know of the PDF.';
revoke execute on function public.finish_export(uuid, text, int, text, text, int, text) from public, anon, authenticated;
grant execute on function public.finish_export(uuid, text, int, text, text, int, text) to service_role;
