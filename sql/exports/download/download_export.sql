-- Where the file is, for a function that signs a fresh URL: a signed URL kept in a row would have expired when it is read.
create or replace function public.download_export(p_id uuid) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_export mill.export;
  v_file jsonb;
begin
  select e.* into v_export from mill.export e where e.id = p_id and (e.owner = auth.uid() or mill.has_console_grant(auth.uid(), e.id));
  if v_export.id is null then
    raise exception 'there is no such export, or it is not yours' using errcode = 'GM050';
  end if;
  -- Only the owner's downloads are counted.
  update mill.export_history h set download_count = h.download_count + (v_export.owner = auth.uid())::int
  where h.id = p_id and h.expires_at > mill.now()
  returning jsonb_build_object('path', h.file_path, 'name', h.file_name, 'size', h.file_size) into v_file;
  if v_file is not null then
    return v_file;
  end if;
  if v_export.ended = 'completed' then
    raise exception 'the file was kept for % days and has expired', mill.setting('exports.expire_days', '7') using errcode = 'GM054';
  end if;
  raise exception 'there is no file yet' using errcode = 'GM055',
    detail = (select jsonb_build_object('status', s.status, 'progress', s.progress) from mill.export_status(p_id, v_export.ended) s);
end
$$;

comment on function public.download_export(uuid) is
  'Path and name of a finished export''s file, counted as a download; GM054 once expired, GM055 while there is none.';
revoke execute on function public.download_export(uuid) from public, anon, service_role;
grant execute on function public.download_export(uuid) to authenticated;
