-- Only tasks that are queued change: what is told twice, or after its job was cancelled, changes nothing. The caller
-- holds the jobs.
create or replace function mill.record_ended(p_ids uuid[], p_states text[], p_outputs jsonb[], p_errors jsonb[], p_at timestamptz)
returns table (job_id uuid, ended uuid[], failed uuid[], is_step_done boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
  with ended as (
    update mill.task t set state = e.state, output = e.output, error = e.error, finished_at = p_at
    from unnest(p_ids, p_states, p_outputs, p_errors) as e(id, state, output, error)
    where t.id = e.id and t.state = 'queued'
    returning t.id, t.job_id, t.key, t.state
  ),
  counted as (
    update mill.step s set completed = s.completed + c.completed, failed = s.failed + c.failed
    from (
      select e.job_id, e.key, (count(*) filter (where e.state = 'completed'))::int as completed,
        (count(*) filter (where e.state <> 'completed'))::int as failed
      from ended e group by e.job_id, e.key) c
    where s.job_id = c.job_id and s.key = c.key
    returning s.job_id, s.completed + s.failed + s.skipped = s.total as is_done
  )
  select e.job_id, array_agg(e.id), coalesce(array_agg(e.id) filter (where e.state <> 'completed'), '{}'),
    (select bool_or(c.is_done) from counted c where c.job_id = e.job_id)
  from ended e group by e.job_id order by e.job_id;
end
$$;

comment on function mill.record_ended(uuid[], text[], jsonb[], jsonb[], timestamptz) is
  'Keeps what became of tasks and counts it, one update a step; gives what ended, by job.';
revoke execute on function mill.record_ended(uuid[], text[], jsonb[], jsonb[], timestamptz) from public;
