-- The engine's word to workflows: these tasks have completed. p_results is the whole batch's, by id, or null.
create or replace function mill.tell_workflows(p_tasks uuid[], p_parents uuid[], p_results jsonb, p_now timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.task_ended (ids, parents, states, outputs, errors, at)
  select array_agg(t.id), array_agg(t.parent), array_agg('completed'::text), array_agg(p_results -> t.id::text), array_agg(null::jsonb), p_now
  from unnest(p_tasks, p_parents) as t(id, parent)
$$;

comment on function mill.tell_workflows(uuid[], uuid[], jsonb, timestamptz) is 'Notes which tasks a batch has completed, for the commit to advance their workflows.';
revoke execute on function mill.tell_workflows(uuid[], uuid[], jsonb, timestamptz) from public;
