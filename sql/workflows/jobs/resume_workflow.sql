-- A failed job goes on: what is completed stays, everything else waits again and is opened anew. p_revived are tasks
-- whose dead letters are with the engine again already. Lock order: the caller holds the dead letters.
create or replace function mill.resume_workflow(p_id uuid, p_revived uuid[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_job mill.workflow;
  v_count int;
begin
  select * into v_job from mill.workflow j where j.id = p_id for update;
  if v_job.status <> 'failed' or v_job.compensating then
    return 0;
  end if;

  perform mill.record_ended(p_id);
  perform mill.write_ended(p_id);
  delete from mill.task t where t.job_id = p_id and t.item = -1;
  update mill.task t set
    state = case when t.id = any (p_revived) then 'queued' else 'waiting' end,
    error = null, finished_at = null
  where t.job_id = p_id and t.state in ('failed', 'cancelled', 'skipped');
  get diagnostics v_count = row_count;
  update mill.step s set
    completed = c.completed, failed = 0, skipped = 0,
    total = case when w.family is null or c.n > 0 or s.completed = s.total then s.total end,
    state = case when s.state = 'completed' then 'completed' else 'waiting' end
  from mill.workflow_step w
  cross join lateral (
    select count(*)::int as n, (count(*) filter (where t.state = 'completed'))::int as completed
    from mill.task t where t.job_id = p_id and t.key = w.key) c
  where s.job_id = p_id and w.type = v_job.type and w.version = v_job.version and w.key = s.key;

  update mill.workflow j set status = 'processing', error = null, finished_at = null, stragglers = false where j.id = p_id;
  perform mill.advance_workflow(p_id,
    array(select t.id from mill.task t where t.job_id = p_id and t.state = 'completed'), '{}', true);
  return v_count;
end
$$;

comment on function mill.resume_workflow(uuid, uuid[]) is 'Lets a failed job go on from its failed tasks; says how many tasks wait or run again.';
revoke execute on function mill.resume_workflow(uuid, uuid[]) from public;
