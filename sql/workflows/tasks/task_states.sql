create or replace function mill.task_states(p_job_id uuid, p_max int) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(to_jsonb(s) order by s.id), '[]')
  from (
    select t.id, t.key, t.item, w.kind as task_type, w.phase,
      case when t.state = 'queued' then coalesce(l.state, e.state, 'pending') else t.state end as status,
      coalesce(l.attempt, 0) as attempt,
      case when t.state = 'completed' or e.state = 'completed' then 100 else coalesce(l.progress, 0) end as progress,
      coalesce(t.error, e.error, l.error) as error,
      l.started_at, coalesce(t.finished_at, e.at) as finished_at
    from mill.task t
    join mill.workflow j on j.id = t.job_id
    join mill.workflow_step w on w.type = j.type and w.version = j.version and w.key = t.key
    left join mill.job_live l on l.id = t.id
    -- It has ended in a batch that is its record.
    left join (
      select u.id, b.state, b.at, u.error
      from mill.ended b cross join lateral unnest(b.ids, b.errors) as u(id, error)
      where b.parent = p_job_id) e on e.id = t.id
    where t.job_id = p_job_id and t.item >= 0
    order by t.id limit p_max) s
$$;

comment on function mill.task_states(uuid, int) is
  'The first tasks of a job. Statuses: waiting, pending, deferred, retrying, processing, completed, failed, cancelled, skipped.';
revoke execute on function mill.task_states(uuid, int) from public;
