-- One job, after some of its tasks have ended. What ends here without running (skipped, or failed before it could start)
-- is followed in turn: at most once a task, so the loop ends. Steps are only looked at when one of them may have ended:
-- most batches of a long list change nothing but a count.
create or replace function mill.advance_workflow(p_id uuid, p_ended uuid[], p_failed uuid[], p_is_step_done boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_job mill.workflow;
  v_ended uuid[] := p_ended;
  v_failed uuid[] := p_failed;
  v_items record;
  v_steps record;
  v_looks boolean := p_is_step_done;
begin
  select * into v_job from mill.workflow j where j.id = p_id for update;
  if v_job.compensating and v_job.status = 'processing' then
    -- Whatever became of it: the compensation has been tried.
    if exists (select from mill.task t
        join mill.workflow_step w on w.type = v_job.type and w.version = v_job.version and w.key = t.key and w.is_compensation
        where t.id = any (p_ended))
    then
      v_job.status := 'failed';
    end if;
  else
    while v_job.status in ('queued', 'processing') loop
      v_job := mill.follow_failures(v_job, v_failed);
      exit when v_job.status = 'failed' or v_job.compensating;
      v_items := mill.follow_items(v_job, v_ended);
      if not v_looks and v_items.skipped = '{}' then
        exit when v_items.ready = '{}';
        v_failed := mill.start_tasks(v_job, v_items.ready);
        exit when v_failed = '{}';
        v_ended := v_failed;
        v_looks := true;
        continue;
      end if;
      v_looks := true;
      v_steps := mill.follow_steps(v_job);
      v_failed := v_steps.failed || mill.start_tasks(v_job, v_items.ready || v_steps.ready);
      v_ended := v_items.skipped || v_steps.skipped || v_failed;
      exit when v_ended = '{}' and not v_steps.moved;
    end loop;
  end if;
  if v_job.compensating and v_job.status = 'queued' then
    v_job.status := 'processing';
  end if;
  perform mill.keep_progress(v_job);
end
$$;

comment on function mill.advance_workflow(uuid, uuid[], uuid[], boolean) is 'Starts what became ready, skips what cannot be, and keeps the progress of one job.';
revoke execute on function mill.advance_workflow(uuid, uuid[], uuid[], boolean) from public;
