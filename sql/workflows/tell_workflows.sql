-- The engine's word to workflows: these tasks have completed. p_results is the whole batch's, by id, or null. plpgsql,
-- whose plans are kept: as SQL it would be planned at each call. A job that is no task may have a parent, but no key.
create or replace function mill.tell_workflows(p_tasks uuid[], p_jobs uuid[], p_keys text[], p_results jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Nearly always the tasks are those of one step of one job.
  if p_keys[1] is not null and p_jobs = array_fill(p_jobs[1], array[cardinality(p_jobs)]) and p_keys = array_fill(p_keys[1], array[cardinality(p_keys)]) then
    insert into mill.task_ended (job_id, key, state, ids, outputs, at)
    values (p_jobs[1], p_keys[1], 'completed', p_tasks,
      case when p_results is not null then array(select p_results -> t.id::text from unnest(p_tasks) as t(id)) end, p_now);
    return;
  end if;
  insert into mill.task_ended (job_id, key, state, ids, outputs, at)
  select t.job_id, t.key, 'completed', array_agg(t.id), case when p_results is not null then array_agg(p_results -> t.id::text) end, p_now
  from unnest(p_tasks, p_jobs, p_keys) as t(id, job_id, key)
  where t.key is not null
  group by t.job_id, t.key;
end
$$;

comment on function mill.tell_workflows(uuid[], uuid[], text[], jsonb, timestamptz) is 'Notes which tasks a batch has completed, for the commit to advance their workflows.';
revoke execute on function mill.tell_workflows(uuid[], uuid[], text[], jsonb, timestamptz) from public;
