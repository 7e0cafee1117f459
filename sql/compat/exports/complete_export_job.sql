-- The result is a file in the bucket exports, which must be there, or an address outside our storage. The caller holds the lock of the owner and that of the job.
create or replace function mill.complete_export_job(p_holder mill.holder, p_url text, p_size int, p_pages int) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_export mill.export;
  v_path text := mill.export_object(p_url);
  v_is_done boolean;
begin
  select e.* into v_export from mill.export e where e.id = p_holder.job;
  if p_url is null then
    raise exception 'a completed export has a result_url: where its file is' using errcode = 'GM055';
  elsif coalesce(p_size, 0) < 0 or coalesce(p_pages, 0) < 0 then
    raise exception 'file_size and page_count are not negative' using errcode = 'GM004';
  end if;
  if v_path is not null then
    perform mill.register_export_object(v_export.owner, v_export.document_id, v_path, v_export.id);
    update mill.export_file f set attempt = p_holder.attempt where f.path = v_path and f.state = 'writing';
    v_is_done := public.finish_export(p_holder.job, p_holder.worker, p_holder.attempt, v_path, mill.export_file_name(v_export.title), coalesce(p_pages, 1));
  elsif p_url !~* '^https?://[^/]+' or p_url ~* '/storage/v1/' then
    raise exception 'result_url is neither a file in the bucket exports nor an address outside our storage' using errcode = 'GM055';
  else
    v_is_done := mill.settle_held(p_holder, jsonb_build_object('outcome', 'completed', 'result', jsonb_build_object('url', p_url)));
    if v_is_done then
      update mill.export e set ended = 'completed', message = null, source = null where e.id = p_holder.job;
      perform mill.note_export(p_holder.job, 'completed', jsonb_build_object('progress', 100, 'attempt', p_holder.attempt));
    end if;
  end if;
  if v_is_done then
    update mill.export e set result_url = p_url, result_size = p_size, result_pages = p_pages where e.id = p_holder.job;
  end if;
  return v_is_done;
end
$$;

comment on function mill.complete_export_job(mill.holder, text, int, int) is
  'Completes an export with the result that a compat worker names; false when the job was cancelled, GM055 without a stored file.';
revoke execute on function mill.complete_export_job(mill.holder, text, int, int) from public;
