create or replace function mill.workflow_output(p_job mill.workflow) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_object_agg(t.key, t.output)
  from mill.workflow_step w
  join mill.task t on t.job_id = p_job.id and t.key = w.key and t.item = 0 and t.state = 'completed'
  where w.type = p_job.type and w.version = p_job.version and w.family is null
    and pg_column_size(t.output) <= 65536
    and not exists (
      select from mill.workflow_step o where o.type = w.type and o.version = w.version and w.key = any (o.needs))
$$;

comment on function mill.workflow_output(mill.workflow) is 'What the tasks gave that nothing else depends on, by key. Lists of items stay with their tasks.';
revoke execute on function mill.workflow_output(mill.workflow) from public;
