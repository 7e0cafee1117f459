-- Registers an object that a compat worker has stored, for the export that is being made of this document, with the size that the store says. It
-- counts against the quota from now on. Registered before, it is answered as it is. The caller holds the owner's lock.
create or replace function mill.register_export_object(p_owner uuid, p_document_id uuid, p_path text, p_export uuid default null) returns mill.export_file
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_file mill.export_file;
  v_size bigint := mill.size_of_object(p_path);
begin
  if p_path is null or v_size is null or not starts_with(p_path, format('exports:%s/', p_owner)) then
    raise exception 'there is no such file in the bucket exports, below the folder of the user' using errcode = 'GM055',
      hint = 'Store it at {user}/{document}_{time}.pdf, and then say where it is.';
  end if;
  select f.* into v_file from mill.export_file f where f.path = p_path for update;
  if v_file.path is null then
    insert into mill.export_file as f (path, export_id, attempt, owner, size, created_at)
    select p_path, e.id, j.attempt, e.owner, v_size, mill.now()
    from mill.export e
    join mill.job_live j on j.id = e.id and j.state = 'processing'
    where e.owner = p_owner and (e.document_id = p_document_id or p_document_id is null) and e.id = coalesce(p_export, e.id)
    order by j.started_at desc limit 1
    returning f.* into v_file;
    if v_file.path is not null then
      perform mill.check_export_storage(p_owner, 0);
    end if;
  end if;
  if v_file.path is null or v_file.owner <> p_owner or v_file.state in ('removing', 'deleted') or v_file.export_id <> coalesce(p_export, v_file.export_id) then
    raise exception 'this file belongs to no export that is being made or was completed' using errcode = 'GM050';
  end if;
  return v_file;
end
$$;

comment on function mill.register_export_object(uuid, uuid, text, uuid) is
  'Registers an object in the bucket exports as the file of an export; GM055 when it is not stored, GM050 without an export, GM051 without room.';
revoke execute on function mill.register_export_object(uuid, uuid, text, uuid) from public;
