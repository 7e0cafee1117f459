-- The steps of a workflow as a graph: a list of items is one node with counts.
create or replace function mill.workflow_graph(p_job mill.workflow) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'nodes', coalesce(jsonb_agg(jsonb_build_object('key', w.key, 'kind', w.kind, 'phase', w.phase, 'state', s.state, 'for_each', w.for_each is not null or w.each_of is not null,
      'total', s.total, 'completed', s.completed, 'failed', s.failed, 'skipped', s.skipped, 'running', r.running, 'compensation', w.is_compensation,
      'started_at', r.started_at, 'finished_at', case when s.state in ('completed', 'partial', 'skipped') then r.finished_at end) order by w.position), '[]'),
    'edges', (
      select coalesce(jsonb_agg(jsonb_build_object('from', n.need, 'to', w.key, 'each', w.each_of is not distinct from n.need) order by w.position, n.need), '[]')
      from mill.workflow_step w cross join lateral (select unnest(w.needs) union select w.each_of where w.each_of is not null) as n(need)
      where w.type = p_job.type and w.version = p_job.version))
  from mill.step s
  join mill.workflow_step w on w.type = p_job.type and w.version = p_job.version and w.key = s.key
  cross join lateral (
    -- Bounded: of a list of many thousands the first and the last tasks are looked at.
    select count(*) filter (where l.state = 'processing') as running, min(coalesce(l.started_at, t.finished_at)) as started_at, max(t.finished_at) as finished_at
    from (
      (select * from mill.task o where o.job_id = s.job_id and o.key = s.key and o.item >= 0 order by o.item limit 500)
      union
      (select * from mill.task o where o.job_id = s.job_id and o.key = s.key and o.item >= 0 order by o.item desc limit 500)) t
    left join mill.job_live l on l.id = t.id) r
  where s.job_id = p_job.id
$$;

comment on function mill.workflow_graph(mill.workflow) is 'The steps of a workflow as {nodes, edges}, with states and counts.';
revoke execute on function mill.workflow_graph(mill.workflow) from public;

-- Tasks for a Gantt view, at most so many a step. When a task ran is known from its job while that is kept.
create or replace function mill.console_tasks(p_job mill.workflow, p_max int) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'key', t.key, 'item', t.item,
    'state', case when t.state = 'queued' then case coalesce(l.state, e.state, 'pending') when 'processing' then 'running' when 'completed' then 'completed' when 'failed' then 'failed' when 'cancelled' then 'cancelled' else 'queued' end else t.state end,
    'created_at', coalesce(l.created_at, d.created_at, x.created_at), 'started_at', coalesce(l.started_at, d.started_at, x.started_at),
    'finished_at', coalesce(t.finished_at, e.at, d.finished_at, x.finished_at), 'worker', coalesce(l.worker, d.worker, x.worker), 'attempt', coalesce(l.attempt, d.attempt, x.attempt, 0),
    'error', case when coalesce(t.error, e.error, l.error) is not null then jsonb_build_object('type', left(coalesce(t.error, e.error, l.error) ->> 'type', 100),
      'message', mill.cut_text(coalesce(t.error, e.error, l.error) ->> 'message', 300)) end) order by t.position, t.item), '[]')
  from (
    select o.*, w.position from (
      select k.*, row_number() over (partition by k.key order by k.item) as place from mill.task k where k.job_id = p_job.id and k.item >= 0) o
    join mill.workflow_step w on w.type = p_job.type and w.version = p_job.version and w.key = o.key
    order by o.place, w.position limit p_max) t
  left join mill.job_live l on l.id = t.id
  left join lateral (select b.created_at, b.started_at, b.finished_at, b.worker, b.attempt from mill.job_done b where b.id = t.id and l.id is null limit 1) d on true
  left join mill.job_dead x on x.id = t.id
  left join (
    select u.id, b.state, b.at, u.error
    from mill.ended b cross join lateral unnest(b.ids, b.errors) as u(id, error)
    where b.parent = p_job.id) e on e.id = t.id
$$;

comment on function mill.console_tasks(mill.workflow, int) is 'The first tasks of each step of a workflow with the times at which they ran.';
revoke execute on function mill.console_tasks(mill.workflow, int) from public;

create or replace function public.console_workflow(p_id uuid) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
  v_job mill.workflow;
  v_row jsonb;
  v_masked boolean := mill.setting('console.payloads', 'masked') <> 'shown';
  v_params jsonb;
  v_output jsonb;
  v_tasks jsonb;
begin
  select * into v_job from mill.workflow j where j.id = p_id;
  if not found then
    return '{"workflow": null}'::jsonb;
  end if;
  v_row := mill.console_workflow_row(v_job);
  v_params := mill.shown_value(v_job.params, v_masked, 65536);
  v_output := mill.shown_value(v_job.output, v_masked and v_job.output is not null, 65536);
  v_tasks := mill.console_tasks(v_job, 301);
  return jsonb_build_object(
    'workflow', v_row || jsonb_build_object('compensating', v_job.compensating, 'priority', v_job.priority, 'idempotency_key', v_job.idempotency_key,
      'params', v_params -> 'value', 'params_text', v_params -> 'text', 'params_masked', v_masked, 'params_bytes', v_params -> 'bytes', 'params_cut', v_params -> 'cut',
      'output', v_output -> 'value', 'output_text', v_output -> 'text', 'output_masked', v_output -> 'masked', 'output_bytes', v_output -> 'bytes', 'output_cut', v_output -> 'cut'),
    'graph', mill.workflow_graph(v_job),
    'tasks', v_tasks - 300, 'tasks_more', jsonb_array_length(v_tasks) > 300,
    'artifacts', (select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'task_id', a.task_id, 'type', a.artifact_type, 'title', a.title, 'bytes', a.file_size_bytes, 'created_at', a.created_at) order by a.id), '[]')
      from (select * from public.job_artifacts r where r.job_id = p_id order by r.id limit 200) a),
    'actions', jsonb_build_object('cancel', v_role <> 'viewer' and v_job.status in ('queued', 'processing'), 'resume', v_role <> 'viewer' and v_job.status = 'failed' and not v_job.compensating));
end
$$;

comment on function public.console_workflow(uuid) is 'One workflow: its progress, its steps as a graph, its tasks with their times, its artifacts. For viewers of the console.';
revoke execute on function public.console_workflow(uuid) from public, anon;
grant execute on function public.console_workflow(uuid) to authenticated, service_role;
