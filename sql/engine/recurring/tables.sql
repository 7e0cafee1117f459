-- Schedules of users: jobs that are enqueued by themselves at due times.
--
--   register_jobs, save_schedule ──► job_schedule ──the pump, when next_due has come──► mill.enqueue
--                                                └── job_schedule_run: what became of each due time
--
-- Due times are computed by Postgres with its own time zone data, and only the database's clock (mill.now) decides what is due. next_due moves on in
-- the transaction that enqueues the job, under the lock of its row; the primary key of job_schedule_run is a second guard. So each due time makes a
-- job exactly once, or is skipped by a rule that the row names.
--
-- The recurring work of Gristmill itself is another thing: mill.schedule.
create table mill.job_schedule (
  schedule text primary key,
  description text not null default '',
  kind text not null references mill.kind on update cascade,
  payload jsonb not null,
  -- Either five fields, read in the time zone, or a number of seconds, counted from starts_at.
  cron text,
  time_zone text not null default 'UTC',
  every_seconds int,
  -- Nothing is due before. The default is a Monday, so that an interval of an hour, a day or a week falls on its beginning.
  starts_at timestamptz not null default '2001-01-01 00:00+00',
  -- What a due time does that comes while the job of an earlier one has not ended.
  overlap text not null default 'skip',
  -- What becomes of due times that passed while nobody looked.
  catch_up text not null default 'once',
  catch_up_limit int not null default 100,
  priority int not null default 5,
  group_key text,
  -- The field of the payload into which the due time is written; null for none.
  due_field text,
  paused boolean not null default false,
  next_due timestamptz not null,
  -- Why the job of a due time could not be enqueued. The pump tries again in every round.
  problem text,
  created_at timestamptz not null default now(),
  -- As register_jobs wrote it last; null for a row that it has not made. What differs by now was changed by an operator.
  registered jsonb,
  constraint schedule_name_is_a_short_word check (schedule ~ '^[a-z][a-z0-9_.-]{0,62}$'),
  constraint either_cron_or_an_interval check (num_nonnulls(cron, every_seconds) = 1),
  constraint an_interval_is_from_a_second_to_a_year check (every_seconds between 1 and 31536000),
  constraint payload_is_an_object_with_a_field check (jsonb_typeof(payload) = 'object' and (payload <> '{}' or due_field is not null)),
  constraint overlap_is_skip_or_queue check (overlap in ('skip', 'queue')),
  constraint catch_up_is_none_once_or_all check (catch_up in ('none', 'once', 'all')),
  constraint catch_up_limit_is_from_1_to_1000 check (catch_up_limit between 1 and 1000),
  constraint priority_is_between_minus_100_and_100 check (priority between -100 and 100),
  constraint group_key_has_up_to_200_characters check (length(group_key) between 1 and 200),
  constraint due_field_has_up_to_100_characters check (length(due_field) between 1 and 100)
);
comment on table mill.job_schedule is 'Jobs that are enqueued at due times: by cron expressions in a time zone, or by intervals.';
create index job_schedule_next_due on mill.job_schedule (next_due) where not paused;

create table mill.job_schedule_run (
  schedule text not null references mill.job_schedule on update cascade on delete cascade,
  -- The due time; of several that were missed together, the last.
  due timestamptz not null,
  at timestamptz not null,
  -- due: found in time; caught_up: late, and enqueued all the same; by_hand: run_schedule_now.
  -- overlapped, missed: no job, by the rules of the schedule. missed_count says how many due times up to this one were missed.
  outcome text not null,
  job uuid,
  missed_count int,
  primary key (schedule, due),
  constraint outcome_is_known check (outcome in ('due', 'caught_up', 'by_hand', 'overlapped', 'missed')),
  constraint a_job_where_one_was_enqueued check ((job is null) = (outcome in ('overlapped', 'missed'))),
  constraint missed_ones_are_counted check ((missed_count is not null) = (outcome = 'missed'))
);
comment on table mill.job_schedule_run is 'What became of each due time of a schedule. Kept for 30 days, and at least the last hundred.';
create index job_schedule_run_age on mill.job_schedule_run (at);
