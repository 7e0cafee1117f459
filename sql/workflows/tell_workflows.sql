-- plpgsql, whose plans are kept: as SQL it would be planned at each call. The engine's word to workflows: these tasks have completed. p_results is the whole batch's, by id, or null.
create or replace function mill.tell_workflows(p_tasks uuid[], p_parents uuid[], p_results jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into mill.task_ended (state, ids, parents, outputs, at)
  values ('completed', p_tasks, array(select distinct unnest(p_parents)),
    case when p_results is not null then array(select p_results -> t.id::text from unnest(p_tasks) as t(id)) end, p_now);
end
$$;

comment on function mill.tell_workflows(uuid[], uuid[], jsonb, timestamptz) is 'Notes which tasks a batch has completed, for the commit to advance their workflows.';
revoke execute on function mill.tell_workflows(uuid[], uuid[], jsonb, timestamptz) from public;
