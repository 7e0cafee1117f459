-- Read-only, and only one's own: workers reach tasks through RPCs.
create or replace view public.job_tasks with (security_barrier) as
select
  t.id,
  t.job_id,
  t.key,
  t.item,
  w.kind as task_type,
  w.phase,
  w.needs,
  w.each_of,
  case when t.state = 'queued' then coalesce(l.state, e.state, 'pending') else t.state end as status,
  coalesce(l.attempt, 0) as attempt,
  case when t.state = 'completed' or e.state = 'completed' then 100 else coalesce(l.progress, 0) end as progress,
  coalesce(t.output, e.output) as output,
  coalesce(t.error, e.error, l.error) as error,
  l.started_at,
  coalesce(t.finished_at, e.at) as finished_at
from mill.task t
join public.jobs j on j.id = t.job_id
join mill.workflow_step w on w.type = j.type and w.version = j.version and w.key = t.key
left join mill.job_live l on l.id = t.id
-- It has ended in a batch that is its record.
left join (
  select b.parent, u.id, b.state, b.at, u.output, u.error
  from mill.ended b cross join lateral unnest(b.ids, b.results, b.errors) as u(id, output, error)) e on e.parent = t.job_id and e.id = t.id
where t.item >= 0 and (public.is_service_role() or j.user_id = (select auth.uid()));

comment on view public.job_tasks is
  'Tasks of one''s own jobs. Statuses: waiting, pending, deferred, retrying, processing, completed, failed, cancelled, skipped.';
revoke all on public.job_tasks from public, anon, authenticated, service_role;
grant select on public.job_tasks to authenticated, service_role;
