-- Jobs that are unique by chosen fields for a time.
create table mill.unique_job (
  kind text not null,
  digest bytea not null,
  id uuid not null,
  until timestamptz not null,
  primary key (kind, digest)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.unique_job is 'Which job of a kind stands for certain values, and until when another with these values is its duplicate.';
create index unique_job_until on mill.unique_job (until);
