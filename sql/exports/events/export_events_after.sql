-- Notes what the engine ended or took back meanwhile, then reads. Locks the owner only when there is something to note.
create or replace function mill.export_events_after(p_owner uuid, p_ids uuid[], p_after bigint) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_gone uuid[] := array(
    select e.id from mill.export e
    where e.id = any (p_ids) and not exists (select from mill.job_live j where j.id = e.id)
      and (e.ended is null or e.ended = 'failed'));
  v_retried uuid[] := mill.retried_exports(p_ids);
begin
  if v_gone <> '{}' or v_retried <> '{}' then
    perform mill.lock_exports(p_owner);
    perform mill.note_ended_exports(v_gone);
    perform mill.note_retried_exports(v_retried);
  end if;
  return (
    select jsonb_build_object(
      'events', coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'event', v.event, 'data', v.data) order by v.id), '[]'),
      'ended', not exists (
        select from mill.export e
        where e.id = any (p_ids) and (e.ended is null or exists (select from mill.job_live j where j.id = e.id))))
    from mill.export_event v
    where v.export_id = any (p_ids) and v.id > p_after);
end
$$;

comment on function mill.export_events_after(uuid, uuid[], bigint) is 'Events of exports after one, and whether more can come.';
revoke execute on function mill.export_events_after(uuid, uuid[], bigint) from public;
