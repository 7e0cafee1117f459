-- The engine's one word to workflows: these tasks have completed. p_ids and p_results are the whole batch.
create or replace function mill.tell_workflows(
  p_tasks uuid[], p_parents uuid[], p_ids uuid[], p_results jsonb[], p_now timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.task_ended (ids, parents, states, outputs, errors, at)
  select array_agg(t.id), array_agg(t.parent), array_agg('completed'::text), array_agg(g.result), array_agg(null::jsonb), p_now
  from unnest(p_tasks, p_parents) as t(id, parent)
  left join (select distinct on (g.id) g.id, g.result from unnest(p_ids, p_results) as g(id, result)) g using (id)
$$;

comment on function mill.tell_workflows(uuid[], uuid[], uuid[], jsonb[], timestamptz) is 'Notes which tasks a batch has completed, for the commit to advance their workflows.';
revoke execute on function mill.tell_workflows(uuid[], uuid[], uuid[], jsonb[], timestamptz) from public;
