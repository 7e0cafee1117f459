-- The database side of the console: what operators see and do, by RPCs named console_….
--
--   console_start, console_pulse, console_overview          what is there, and what has changed
--   console_jobs, console_job, console_suggest              finding a job, and all about one
--   console_retry, _cancel, _discard, _enqueue, _reveal     acting on jobs
--   console_dead_groups, console_preview, console_bulk      acting on all jobs that match a search
--   console_queue, console_set_queue, _pause, _drain        queues
--   console_schedules, _save_schedule, _run_schedule, …      schedules of users, and Gristmill's own
--   console_health, console_audit                           the rest
--
-- Each begins with mill.require_console, which reads the caller's role from the token and refuses everybody else. Each is bounded in rows
-- and in time: nothing here counts a whole table, and no answer grows with the history.
--
-- A bulk action works through the jobs that match a search, in rounds of the pump:
--
--   console_bulk ──► running ──┬─► completed
--                      ▲  │    └─► failed
--          resume ─────┘  └─stop─► stopped
create table mill.console_bulk (
  id uuid primary key,
  action text not null,
  search text not null,
  error_group text,
  reason text not null,
  -- Who asked for it: the audit rows of each round name this person.
  actor uuid,
  email text,
  state text not null default 'running',
  -- The job of queue console that does it now. A bulk action that was stopped and resumed has had several.
  job uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  -- Ids up to this one were looked at: the next round goes on above.
  reached uuid,
  -- As many jobs as matched when it was asked for, counted to a bound.
  total int not null,
  total_is_more boolean not null default false,
  looked bigint not null default 0,
  done bigint not null default 0,
  refused bigint not null default 0,
  -- Status to number, of those that were refused.
  refusals jsonb not null default '{}',
  error text,
  constraint action_is_known check (action in ('retry', 'discard', 'cancel')),
  constraint bulk_state_is_known check (state in ('running', 'stopped', 'completed', 'failed')),
  constraint what_has_ended_says_when check ((state in ('completed', 'failed')) = (finished_at is not null))
) with (fillfactor = 50);
comment on table mill.console_bulk is 'Actions on all jobs that match a search, and how far each is. Kept for 90 days.';
create index console_bulk_running on mill.console_bulk (id) where state = 'running';
create index console_bulk_job on mill.console_bulk (job);

-- What an admin has revealed can be read for a few minutes: the file of a document, the PDF of an export.
create table mill.console_grant (
  sub uuid not null,
  record uuid not null,
  until timestamptz not null,
  primary key (sub, record)
);
comment on table mill.console_grant is 'Who may read the file of which record until when, because it was revealed to them in the console. Those that are over are removed with the next one.';
