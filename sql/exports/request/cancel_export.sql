-- A waiting export ends now; one that is being made ends when its worker learns of it, and whatever that worker
-- still says is refused. Asking twice is harmless until it has ended.
create or replace function public.cancel_export(p_id uuid) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_status text;
begin
  perform mill.refuse_in_maintenance();
  perform mill.lock_exports(auth.uid());
  if not exists (select from mill.export e where e.id = p_id and e.owner = auth.uid()) then
    raise exception 'there is no such export, or it is not yours' using errcode = 'GM050';
  end if;
  select c.status into v_status from mill.cancel(array[p_id]) c;
  if v_status = 'not_live' then
    raise exception 'the export has ended already' using errcode = 'GM053';
  end if;
  perform mill.note_ended_exports(array[p_id]);
  return (select mill.export_json(e) from mill.export e where e.id = p_id);
end
$$;

comment on function public.cancel_export(uuid) is 'Cancels an export of the caller''s; GM053 once it has ended.';
revoke execute on function public.cancel_export(uuid) from public, anon, service_role;
grant execute on function public.cancel_export(uuid) to authenticated;
