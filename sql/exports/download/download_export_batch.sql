create or replace function public.download_export_batch(p_id uuid, p_partial boolean default false) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_batch jsonb := public.get_export_batch(p_id);
  v_files jsonb;
begin
  if v_batch is null then
    raise exception 'there is no such batch, or it is not yours' using errcode = 'GM050';
  end if;
  if not p_partial and v_batch -> 'done' <> v_batch -> 'total' then
    raise exception 'the batch is not finished' using errcode = 'GM055',
      detail = jsonb_build_object('done', v_batch -> 'done', 'total', v_batch -> 'total');
  end if;
  with counted as (
    update mill.export_history h set download_count = h.download_count + 1
    where h.expires_at > mill.now() and h.id in (select i.export_id from mill.export_batch_item i where i.batch_id = p_id)
    returning h.*
  )
  select jsonb_agg(jsonb_build_object('path', c.file_path, 'name', c.file_name, 'size', c.file_size) order by i.position)
  into v_files
  from mill.export_batch_item i join counted c on c.id = i.export_id where i.batch_id = p_id;
  if v_files is not null then
    return v_files;
  elsif (v_batch ->> 'completed')::int > 0 then
    raise exception 'the files of this batch have expired' using errcode = 'GM054';
  end if;
  raise exception 'no export of this batch has a file' using errcode = 'GM055',
    detail = jsonb_build_object('done', v_batch -> 'done', 'total', v_batch -> 'total');
end
$$;

comment on function public.download_export_batch(uuid, boolean) is
  'Paths and names of a batch''s files, each counted as a download; GM055 while it runs, unless the finished part is enough.';
revoke execute on function public.download_export_batch(uuid, boolean) from public, anon, service_role;
grant execute on function public.download_export_batch(uuid, boolean) to authenticated;
