-- Makes engine jobs of tasks that are ready. Not by way of mill.enqueue: a queue at its depth limit would throttle
-- work that was accepted with the workflow, and an error here would fail the settling of what came before. The order
-- of xid and clock is enqueue's.
create or replace function mill.start_tasks(p_job mill.workflow, p_ids uuid[]) returns uuid[]
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_xid xid8 := pg_current_xact_id();
  v_turn bigint := mill.clock_us();
  v_now timestamptz := mill.now();
  v_max_bytes int := mill.setting('queue.payload_max_bytes', '65536')::int;
  v_group record;
  v_waits boolean := false;
  v_step mill.workflow_step;
  v_ids uuid[];
  v_started uuid[];
  v_failed uuid[] := array[]::uuid[];
begin
  if p_ids = '{}' then
    return v_failed;
  end if;
  for v_group in
    select s.key, g.ids, g.waits
    from (select t.key, array_agg(t.id) as ids, bool_or(t.state = 'waiting') as waits from mill.task t where t.id = any (p_ids) group by t.key) g
    join mill.workflow_step s on s.type = p_job.type and s.version = p_job.version and s.key = g.key
    order by s.position
  loop
    select * into v_step from mill.workflow_step s where s.type = p_job.type and s.version = p_job.version and s.key = v_group.key;
    v_ids := v_group.ids;
    v_waits := v_waits or v_group.waits;
    insert into mill.line (queue, priority)
    select k.queue, p_job.priority from mill.kind k where k.kind = v_step.kind
      and not exists (select from mill.line l where l.queue = k.queue and l.priority = p_job.priority)
    on conflict do nothing;

    with ready as (
      select i.id, i.input, row_number() over () as n from mill.task_inputs(p_job, v_step, v_ids) i
      where pg_column_size(i.input) <= v_max_bytes
    ),
    written as (
      insert into mill.job_live (
        id, line, turn, queue, kind, name, category, payload, state, priority, run_at, max_attempts, group_key, lane, owner, parent, correlation_id, created_at)
      select r.id, l.line, v_turn + r.n, q.queue, k.kind, v_step.key, 'workflow', r.input, 'pending', p_job.priority, v_now,
        coalesce(v_step.max_attempts, q.max_attempts), g.group_key, mill.lane_of(q.dequeue, q.max_running_per_group, p_job.user_id, g.group_key),
        p_job.user_id, p_job.id, p_job.correlation_id, v_now
      from ready r join mill.kind k on k.kind = v_step.kind join mill.queue q on q.queue = k.queue
        join mill.line l on l.queue = q.queue and l.priority = p_job.priority
        -- A queue's cap counts the running tasks of one user, over all of that user's workflows.
        cross join lateral (select case when q.max_running_per_group is not null then p_job.user_id::text end as group_key) g
      returning job_live.id
    )
    select coalesce(array_agg(w.id), '{}') into v_started from written w;
    v_turn := v_turn + cardinality(v_started);
    perform mill.wake(q) from mill.kind k join mill.queue q on q.queue = k.queue where k.kind = v_step.kind;
    perform mill.open_lanes(jsonb_build_array(jsonb_build_object('kind', v_step.kind, 'owner', p_job.user_id, 'group_key', p_job.user_id)));

    if cardinality(v_started) < cardinality(v_ids) then
      v_ids := array(select unnest(v_ids) except select unnest(v_started));
      perform mill.end_waiting_tasks(p_job.id, v_ids, 'failed', jsonb_build_object('type', 'input_too_large', 'retryable', false,
        'message', format('the input of "%s" is larger than %s bytes: pass references, not content', v_step.key, v_max_bytes)));
      v_failed := v_failed || v_ids;
    end if;
  end loop;
  if v_waits then
    update mill.task t set state = 'queued' where t.id = any (p_ids) and t.state = 'waiting';
  end if;
  return v_failed;
end
$$;

comment on function mill.start_tasks(mill.workflow, uuid[]) is 'Hands ready tasks to the engine; says which could not be.';
revoke execute on function mill.start_tasks(mill.workflow, uuid[]) from public;
