-- How much of each thing a user may still cause: see mill.refuse_excess. Rows of users who have been quiet for an hour are removed by mill.prune.
create table mill.user_rate (
  owner uuid not null,
  thing text not null,
  allowance numeric not null,
  at timestamptz not null,
  primary key (owner, thing)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.user_rate is 'What is left of the allowance of each user, as of a time.';
