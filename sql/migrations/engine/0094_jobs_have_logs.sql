-- Lines that handlers have written, kept with their job.
create table mill.job_log (
  job uuid not null,
  n int not null,
  attempt int not null,
  bytes int not null,
  left_out int,
  at timestamptz not null,
  level text not null,
  message text not null,
  data jsonb,
  primary key (job, n),
  constraint level_is_known check (level in ('debug', 'info', 'warn', 'error'))
);
comment on table mill.job_log is 'Lines of the logs of jobs, in order. left_out: how many lines after it were not kept.';
