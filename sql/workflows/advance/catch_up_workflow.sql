create or replace function mill.catch_up_workflow(p_id uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ended record;
begin
  if not exists (select from mill.workflow j where j.id = p_id) then
    delete from mill.ended e where e.parent = p_id;
    return;
  end if;
  v_ended := mill.record_ended(p_id);
  perform mill.advance_workflow(p_id, v_ended.ended, v_ended.failed, v_ended.is_step_done);
end
$$;

comment on function mill.catch_up_workflow(uuid) is 'Takes all that is known to have ended of a job and advances it. The caller holds the job.';
revoke execute on function mill.catch_up_workflow(uuid) from public;
