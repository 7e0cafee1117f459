-- The row before the object: whatever becomes of the upload, cleanup knows where to look. The path has the attempt
-- in it, so that a worker which lost its lease cannot write over the file of the one that has it now.
create or replace function public.reserve_export_file(p_job uuid, p_worker text, p_attempt int, p_size bigint) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_owner uuid := mill.move_export((p_job, p_worker, p_attempt)::mill.holder, 75, 'writing');
  v_path text := format('%s/exports/%s/%s.pdf', v_owner, p_job, p_attempt);
begin
  if v_owner is null then
    return null;
  end if;
  -- Said twice, because the first answer was lost: the room is taken already.
  if not exists (select from mill.export_file f where f.path = v_path) then
    perform mill.check_export_storage(v_owner, p_size);
    insert into mill.export_file (path, export_id, attempt, owner, size, created_at)
    values (v_path, p_job, p_attempt, v_owner, p_size, mill.now());
  end if;
  return v_path;
end
$$;

comment on function public.reserve_export_file(uuid, text, int, bigint) is
  'Where a worker is to store its file, with room for it taken; null when it holds the export no more, GM051 without room.';
revoke execute on function public.reserve_export_file(uuid, text, int, bigint) from public, anon, authenticated;
grant execute on function public.reserve_export_file(uuid, text, int, bigint) to service_role;
