-- A job none of whose tasks has ended yet but one of which has begun is a little way in. That a task has begun is never taken back, so
-- neither is this. A view and not a function: the views that users read may call no function that users may not call.
create or replace view mill.workflow_state as
select j.id,
  b.begun,
  case when b.begun then 'processing' else j.status end as status,
  case when b.begun then greatest(j.percent, 5) else j.percent end as percent,
  case when b.begun then f.phase else j.phase end as phase,
  case when b.begun then initcap(f.phase) else j.message end as message
from mill.workflow j
cross join lateral (
  select j.status = 'queued' and exists (
    select from mill.task t join mill.job_live l on l.id = t.id
    where t.job_id = j.id and t.state = 'queued' and l.started_at is not null) as begun) b
left join lateral (
  select w.phase from mill.workflow_step w join mill.step s on s.job_id = j.id and s.key = w.key
  where w.type = j.type and w.version = j.version and not w.is_compensation order by w.position limit 1) f on b.begun;

comment on view mill.workflow_state is 'Status, percent, phase and message of each job, as they are shown.';
