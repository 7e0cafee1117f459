create or replace function mill.stop_workflow(p_id uuid) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_job mill.workflow;
  v_waiting int;
begin
  select * into v_job from mill.workflow j where j.id = p_id for update;
  if v_job.status not in ('queued', 'processing') then
    raise exception 'the job is % already', v_job.status using errcode = 'GM067';
  end if;
  perform mill.record_ended(p_id);
  select count(*) into v_waiting from mill.task t
  where t.job_id = p_id and (t.state = 'waiting' or t.state = 'queued' and exists (select from mill.job_live l where l.id = t.id));
  v_job.stragglers := mill.stop_tasks(p_id, true);
  v_job.status := 'cancelled';
  v_job.compensating := false;
  perform mill.keep_progress(v_job);
  return (
    select jsonb_build_object('id', p_id, 'status', 'cancelled', 'cancelled', v_waiting - count(*),
      'running', coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'key', t.key, 'item', t.item) order by t.id), '[]'))
    from mill.task t join mill.job_live l on l.id = t.id where t.job_id = p_id and t.state = 'queued');
end
$$;

comment on function mill.stop_workflow(uuid) is
  'Cancels what has not run of a job and asks what runs to stop: how many tasks were cancelled, and which still run.';
revoke execute on function mill.stop_workflow(uuid) from public;
