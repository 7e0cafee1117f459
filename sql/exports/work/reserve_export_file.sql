-- The row before the object: whatever becomes of the upload, cleanup knows where to look. Each attempt has a path of its own, so
-- that a worker which lost its lease cannot write over the file of the one that has it now.
--
-- A worker that names no bucket is one of Gristmill 0.1, which knows the bucket gristmill alone.
create or replace function public.reserve_export_file(p_job uuid, p_worker text, p_attempt int, p_size bigint, p_bucket text default null) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_owner uuid := mill.move_export((p_job, p_worker, p_attempt)::mill.holder, 75, 'writing');
  v_path text := (select f.path from mill.export_file f where f.export_id = p_job and f.attempt = p_attempt);
  v_time bigint := extract(epoch from mill.now()) * 1000;
begin
  if v_owner is null then
    return null;
  elsif v_path is not null then
    return v_path; -- Said twice, because the first answer was lost: the room is taken already.
  elsif coalesce(p_bucket, 'exports') <> 'exports' then
    raise exception 'the file of an export must be in the bucket exports' using errcode = 'GM004';
  end if;
  perform mill.check_export_storage(v_owner, p_size);
  loop
    v_path := case when p_bucket is null then format('%s/exports/%s/%s.pdf', v_owner, p_job, p_attempt)
      else (select format('exports:%s/%s_%s.pdf', v_owner, coalesce(e.document_id, e.id), v_time) from mill.export e where e.id = p_job) end;
    insert into mill.export_file (path, export_id, attempt, owner, size, created_at)
    values (v_path, p_job, p_attempt, v_owner, p_size, mill.now()) on conflict (path) do nothing;
    exit when found or p_bucket is null;
    v_time := v_time + 1; -- two exports of one document within a millisecond
  end loop;
  return v_path;
end
$$;

comment on function public.reserve_export_file(uuid, text, int, bigint, text) is
  'Where a worker is to store its file, with room for it taken; null when it holds the export no more, GM051 without room.';
revoke execute on function public.reserve_export_file(uuid, text, int, bigint, text) from public, anon, authenticated;
grant execute on function public.reserve_export_file(uuid, text, int, bigint, text) to service_role;
