-- What a failed task means for its job: nothing (what depends on it is skipped), the end, or a compensation and then
-- the end. Gives the job as it is to be kept.
create or replace function mill.follow_failures(p_job mill.workflow, p_failed uuid[]) returns mill.workflow
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_first record;
  v_undo uuid[];
begin
  if p_failed = '{}' then
    return p_job;
  end if;
  select t.key, t.item, t.state, t.error, w.on_failure, w.compensation into v_first
  from mill.task t
  join mill.workflow_step w on w.type = p_job.type and w.version = p_job.version and w.key = t.key
  where t.id = any (p_failed) and w.on_failure <> 'skip'
  order by w.on_failure, w.position, t.item limit 1; -- compensate before fail
  if not found then
    return p_job;
  end if;

  p_job.error := jsonb_build_object(
    'task', v_first.key, 'item', v_first.item,
    'type', coalesce(v_first.error ->> 'type', v_first.state),
    'message', coalesce(v_first.error ->> 'message', format('the task was %s', v_first.state)));
  p_job.stragglers := mill.stop_tasks(p_job.id, false);
  if v_first.on_failure = 'compensate' then
    v_undo := array(select t.id from mill.task t where t.job_id = p_job.id and t.key = v_first.compensation);
    update mill.step s set state = 'open' where s.job_id = p_job.id and s.key = v_first.compensation;
    p_job.compensating := true;
    if mill.start_tasks(p_job, v_undo) = '{}' then
      return p_job;
    end if;
  end if;
  p_job.status := 'failed';
  return p_job;
end
$$;

comment on function mill.follow_failures(mill.workflow, uuid[]) is 'Applies the definition''s word on failed tasks to a job.';
revoke execute on function mill.follow_failures(mill.workflow, uuid[]) from public;
