-- Kinds have attempts, a schema and uniqueness of their own; queues and kinds remember what was registered last.
alter table mill.queue add column registered jsonb;

alter table mill.kind
  add column max_attempts int,
  add column schema jsonb,
  add column compiled_schema jsonb,
  add column unique_by text[],
  add column unique_within_seconds int,
  add column registered jsonb,
  add constraint max_attempts_of_a_kind_is_positive check (max_attempts between 1 and 1000),
  add constraint unique_jobs_are_so_for_a_time check (
    (unique_by is null) = (unique_within_seconds is null) and unique_within_seconds between 1 and 31536000);
