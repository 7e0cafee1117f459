-- A hook of tick: what the last batch of a while left to the next, what could not be advanced at its commit, and tasks
-- that could not be told to stop. Each by itself: one that fails again stays and does not keep the others. Never waits:
-- whoever holds a job folds it.
create or replace function mill.advance_left_behind(p_max int default 100) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_id uuid;
  v_job mill.workflow;
  v_count int := 0;
begin
  for v_id in select distinct e.parent from mill.ended e where not e.counted order by e.parent limit p_max loop
    perform from mill.workflow j where j.id = v_id for update skip locked;
    continue when not found and exists (select from mill.workflow j where j.id = v_id);
    begin
      perform mill.catch_up_workflow(v_id);
      v_count := v_count + 1;
    exception when others then
      insert into mill.event (at, code, detail) values (mill.now(), 'workflow_not_advanced',
        jsonb_build_object('job', v_id, 'sqlstate', sqlstate, 'message', sqlerrm));
    end;
  end loop;

  for v_job in select j.* from mill.workflow j where j.stragglers order by j.id limit p_max for update skip locked loop
    v_job.stragglers := v_job.status in ('failed', 'cancelled') and mill.stop_tasks(v_job.id, v_job.status = 'cancelled');
    perform mill.keep_progress(v_job);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

comment on function mill.advance_left_behind(int) is 'Advances and stops what could not be at its time; says how much there was.';
revoke execute on function mill.advance_left_behind(int) from public;
