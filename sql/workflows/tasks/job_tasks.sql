-- Tasks in the compatible form, and only one's own. Extra columns of ours come after the compatible ones.
--
-- Statuses: pending, claimed, processing, complete, failed. A task that was cancelled or skipped has failed here, and error says which. What the
-- engine's records no longer have is null: they are kept for a while only. They are looked up by subqueries, because Postgres leaves out
-- the subqueries of columns that nobody asked for.
create or replace view public.job_tasks with (security_barrier) as
select
  t.id,
  t.job_id,
  w.kind as task_type,
  coalesce(i.sequence, (w.position - 1) * 100000 + t.item) as sequence,
  case
    when t.state = 'queued' and l.state = 'processing' then case when c.id is not null and c.heartbeat_at is null then 'claimed' else 'processing' end
    when t.state in ('waiting', 'queued') and coalesce(e.state, '') not in ('completed', 'failed', 'cancelled') then 'pending'
    when coalesce(e.state, t.state) = 'completed' then 'complete'
    else 'failed' end as status,
  coalesce(l.payload, (select d.payload from mill.job d where d.id = t.id limit 1), case when w.is_inserted then t.value end) as input,
  coalesce(t.output, e.output) as output,
  coalesce(l.worker, (select d.worker from mill.job d where d.id = t.id limit 1)) as worker_id,
  coalesce(l.started_at, (select d.started_at from mill.job d where d.id = t.id limit 1)) as claimed_at,
  case when l.state = 'processing' then coalesce(c.heartbeat_at, l.started_at) end as heartbeat_at,
  coalesce(l.attempt, (select d.attempt from mill.job d where d.id = t.id limit 1), 0) as attempts,
  coalesce(l.max_attempts, (select d.max_attempts from mill.job d where d.id = t.id limit 1), w.max_attempts,
    (select q.max_attempts from mill.kind k join mill.queue q on q.queue = k.queue where k.kind = w.kind)) as max_attempts,
  case coalesce(e.state, t.state)
    when 'cancelled' then 'cancelled'
    when 'skipped' then 'skipped: a task that it needs is not complete'
    else coalesce(t.error, e.error, l.error) ->> 'message' end as error,
  t.key,
  t.item,
  w.phase,
  case when t.state = 'completed' or e.state = 'completed' then 100 else coalesce(l.progress, 0) end as progress,
  coalesce(t.error, e.error, l.error) as error_details,
  coalesce(t.finished_at, e.at) as finished_at
from mill.task t
join mill.workflow j on j.id = t.job_id
join mill.workflow_step w on w.type = j.type and w.version = j.version and w.key = t.key
left join mill.task_sequence i on i.id = t.id
left join mill.job_live l on l.id = t.id
left join mill.task_claim c on c.id = l.id and c.worker = l.worker and c.attempt = l.attempt
-- It has ended in a batch that is its record.
left join (
  select b.parent, u.id, b.state, b.at, u.output, u.error
  from mill.ended b cross join lateral unnest(b.ids, b.results, b.errors) as u(id, output, error)) e on e.parent = t.job_id and e.id = t.id
where t.item >= 0 and (public.is_service_role() or j.user_id = (select auth.uid()));

alter view public.job_tasks alter column max_attempts set default 3;
comment on view public.job_tasks is
  'Tasks of one''s own jobs. The service inserts tasks for jobs whose definition has none. Statuses: pending, claimed, processing, complete, failed.';
revoke all on public.job_tasks from public, anon, authenticated, service_role;
grant select on public.job_tasks to authenticated, service_role;
grant insert (job_id, task_type, sequence, input, status) on public.job_tasks to service_role;
