create or replace function mill.export_json(p_export mill.export) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'id', p_export.id, 'document_id', p_export.document_id, 'version', p_export.version, 'title', p_export.title,
    'template', p_export.template, 'options', p_export.options, 'status', s.status, 'progress', s.progress,
    'cancel_requested', nullif(s.cancel_requested, false), 'attempt', s.attempt, 'max_attempts', s.max_attempts,
    'retry_at', case when s.status = 'retrying' then s.run_at end,
    'message', case s.status
      when 'completed' then p_export.message
      when 'failed' then coalesce(p_export.message, mill.export_message(s.error))
      when 'retrying' then mill.export_message(s.error) end,
    'file', case when h.expires_at > mill.now() then jsonb_build_object(
      'name', h.file_name, 'size', h.file_size, 'pages', h.page_count, 'downloads', h.download_count, 'expires_at', h.expires_at,
      'path', h.file_path) end,
    -- Where a worker of the user's own has put the file, outside of our storage.
    'result_url', case when h.id is null and s.status = 'completed' and p_export.result_url ~* '^https?://' and p_export.result_url !~* '/storage/v1/'
      then p_export.result_url end,
    'created_at', p_export.created_at, 'started_at', s.started_at, 'finished_at', s.finished_at))
  from mill.export_status(p_export.id, p_export.ended) s
  left join mill.export_history h on h.id = p_export.id
$$;

comment on function mill.export_json(mill.export) is 'An export as callers see it.';
revoke execute on function mill.export_json(mill.export) from public;
