-- A batch as rows, in the order asked; the first job that cannot be enqueued raises, before anything is
-- written. Inlined into its callers. jsonb_to_recordset would read better and took twice as long.
create or replace function mill.parse_jobs(
  p_jobs jsonb, p_now timestamptz, p_turn bigint, p_random text, p_max_bytes int)
returns table (
  at int, id uuid, line int, turn bigint, queue text, kind text, name text, category text, payload jsonb, state text, priority int,
  run_at timestamptz, max_attempts int, dedupe_key text, group_key text, lane text, owner uuid, parent uuid,
  correlation_id text, traceparent text)
language sql stable
begin atomic
  select
    (a.ordinality - 1)::int,
    mill.uuid7_at(p_turn + a.ordinality, p_random),
    k.line,
    p_turn + a.ordinality,
    k.queue,
    k.kind,
    a.name,
    a.category,
    a.payload,
    case when a.run_at > p_now then 'deferred' else 'pending' end,
    a.priority,
    coalesce(a.run_at, p_now),
    coalesce(a.max_attempts, k.max_attempts),
    a.dedupe_key,
    a.group_key,
    mill.lane_of(k.dequeue, k.max_running_per_group, a.owner, a.group_key),
    a.owner,
    a.parent,
    a.correlation_id,
    mill.valid_traceparent(a.traceparent)
  from (
    select e.ordinality, e.job ->> 'kind' as kind, e.job -> 'payload' as payload, e.job ->> 'name' as name,
      e.job ->> 'category' as category, coalesce((e.job ->> 'priority')::int, 5) as priority,
      (e.job ->> 'run_at')::timestamptz as run_at, (e.job ->> 'max_attempts')::int as max_attempts,
      e.job ->> 'dedupe_key' as dedupe_key, e.job ->> 'group_key' as group_key, (e.job ->> 'owner')::uuid as owner,
      (e.job ->> 'parent')::uuid as parent, e.job ->> 'correlation_id' as correlation_id, e.job ->> 'traceparent' as traceparent
    from jsonb_array_elements(p_jobs) with ordinality as e(job, ordinality)
    offset 0
  ) a
  left join (
    select k.kind, q.queue, coalesce(k.max_attempts, q.max_attempts) as max_attempts, q.dequeue, q.max_running_per_group, l.line, l.priority
    from mill.kind k join mill.queue q on q.queue = k.queue join mill.line l on l.queue = q.queue
    offset 0 -- joined once, not once a job
  ) k on k.kind = a.kind and k.priority = a.priority
  where case
    when a.kind is null then mill.refuse_job(a.ordinality - 1, 'GM004', 'kind')
    when a.priority not between -100 and 100 then mill.refuse_job(a.ordinality - 1, 'GM004', 'priority')
    when k.kind is null then mill.refuse_job(a.ordinality - 1, 'GM001', a.kind)
    when not mill.check_payload(a.payload, p_max_bytes, a.ordinality - 1) then false
    when a.max_attempts not between 1 and 1000 then mill.refuse_job(a.ordinality - 1, 'GM004', 'max_attempts')
    when length(a.dedupe_key) not between 1 and 200 then mill.refuse_job(a.ordinality - 1, 'GM004', 'dedupe_key')
    when length(a.group_key) not between 1 and 200 then mill.refuse_job(a.ordinality - 1, 'GM004', 'group_key')
    else true
  end;
end;

comment on function mill.parse_jobs(jsonb, timestamptz, bigint, text, int) is
  'Parses and checks a batch of jobs. Given the same arguments it gives the same ids.';
revoke execute on function mill.parse_jobs(jsonb, timestamptz, bigint, text, int) from public;
