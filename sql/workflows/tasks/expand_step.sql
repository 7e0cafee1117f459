-- Makes the tasks of a step and of those that go along it, now that the list is known; those of the step itself in the
-- state that is asked for, so that what starts at once is written once. Gives these. Ids of one call are a microsecond apart.
create or replace function mill.expand_step(p_job mill.workflow, p_step mill.workflow_step, p_state text) returns uuid[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_us bigint := mill.clock_us();
  v_random text := mill.uuid7_tail();
  v_max int := mill.setting('workflows.max_items', '20000')::int;
  v_list jsonb := (case p_step.for_each[1] when 'params' then p_job.params else mill.step_output(p_job, p_step.for_each[1]) end)
    #> p_step.for_each[2:];
  v_total int;
  v_ids uuid[];
begin
  if jsonb_typeof(v_list) is distinct from 'array' or jsonb_array_length(v_list) > v_max then
    insert into mill.task (id, job_id, key, item, state) values (mill.uuid7_at(v_us, v_random), p_job.id, p_step.key, -1, 'waiting');
    update mill.step s set total = 1 where s.job_id = p_job.id and s.key = p_step.key;
    return array[]::uuid[];
  end if;

  v_total := jsonb_array_length(v_list);
  with made as (
    insert into mill.task (id, job_id, key, item, value, state)
    select mill.uuid7_at(v_us + row_number() over (), v_random), p_job.id, s.key, e.n - 1, e.value,
      case when s.key = p_step.key then p_state else 'waiting' end
    from mill.workflow_step s cross join jsonb_array_elements(v_list) with ordinality as e(value, n)
    where s.type = p_job.type and s.version = p_job.version and s.family = p_step.family
    returning task.id, task.key
  )
  select coalesce(array_agg(m.id), '{}') into v_ids from made m where m.key = p_step.key;
  update mill.step s set total = v_total
  from mill.workflow_step w
  where s.job_id = p_job.id and w.type = p_job.type and w.version = p_job.version and w.key = s.key and w.family = p_step.family;
  return v_ids;
end
$$;

comment on function mill.expand_step(mill.workflow, mill.workflow_step, text) is 'One task for each item of the list that a step fans out over.';
revoke execute on function mill.expand_step(mill.workflow, mill.workflow_step, text) from public;
