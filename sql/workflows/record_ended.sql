-- Only tasks that are queued change: what is told twice, or after its job was cancelled, changes nothing. The caller
-- holds the jobs. Where there is nothing to keep beside the state, tasks are matched by an array and not by a join.
create or replace function mill.record_ended(p_told mill.task_ended)
returns table (job_id uuid, ids uuid[], is_step_done boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
begin
  if p_told.outputs is null and p_told.errors is null then
    return query
    with ended as (
      update mill.task t set state = p_told.state, finished_at = p_told.at
      where t.id = any (p_told.ids) and t.state = 'queued'
      returning t.id, t.job_id, t.key
    )
    select g.job_id, g.ids, mill.count_ended(g.job_id, g.key, p_told.state, cardinality(g.ids))
    from (select e.job_id, e.key, array_agg(e.id) as ids from ended e group by e.job_id, e.key) g;
  else
    return query
    with ended as (
      update mill.task t set state = p_told.state, output = e.output, error = e.error, finished_at = p_told.at
      from unnest(p_told.ids, p_told.outputs, p_told.errors) as e(id, output, error)
      where t.id = e.id and t.state = 'queued'
      returning t.id, t.job_id, t.key
    )
    select g.job_id, g.ids, mill.count_ended(g.job_id, g.key, p_told.state, cardinality(g.ids))
    from (select e.job_id, e.key, array_agg(e.id) as ids from ended e group by e.job_id, e.key) g;
  end if;
end
$$;

comment on function mill.record_ended(mill.task_ended) is
  'Keeps what became of tasks and counts it, one update a step; gives what ended, by job and step.';
revoke execute on function mill.record_ended(mill.task_ended) from public;
