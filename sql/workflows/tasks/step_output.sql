create or replace function mill.step_output(p_job mill.workflow, p_key text) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when s.family is null
    then (select t.output from mill.task t where t.job_id = p_job.id and t.key = p_key and t.item = 0)
    else coalesce((
      select jsonb_agg(coalesce(t.output, k.output) order by t.item)
      from mill.task t
      left join (
        select u.id, u.output from mill.ended e cross join lateral unnest(e.ids, e.results) as u(id, output)
        where e.parent = p_job.id and e.name = p_key and e.counted) k on k.id = t.id
      where t.job_id = p_job.id and t.key = p_key and t.item >= 0), '[]')
  end
  from mill.workflow_step s
  where s.type = p_job.type and s.version = p_job.version and s.key = p_key
$$;

comment on function mill.step_output(mill.workflow, text) is 'What a step gave: one value, or those of its items in their order.';
revoke execute on function mill.step_output(mill.workflow, text) from public;
