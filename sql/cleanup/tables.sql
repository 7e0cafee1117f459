-- Steps of the cleanup function: rows, so that a part adds its own with an INSERT in its own file.
--
-- A step is a function (p_max int) returns jsonb. It does a bounded piece of work and says what it did in numbers;
-- {"more": true} asks for another round. Where objects must be removed first it answers {"remove": [keys]}: the function
-- removes them from the store and calls confirm(p_keys text[]), so that a row outlives its object and never the reverse.
create table mill.cleanup_step (
  step text primary key,
  description text not null default '',
  run text not null,
  confirm text,
  max_items int not null default 1000,
  place int not null default 100,
  enabled boolean not null default true,
  last_run_at timestamptz,
  last_error text,
  last_report jsonb,
  part text default nullif(current_setting('mill.part', true), ''),
  constraint step_is_a_short_word check (step ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint run_is_a_function_of_ours check (run ~ '^mill\.[a-z_0-9]+$'),
  constraint confirm_is_a_function_of_ours check (confirm ~ '^mill\.[a-z_0-9]+$'),
  constraint max_items_is_positive check (max_items between 1 and 100000)
);
comment on table mill.cleanup_step is 'What the cleanup function does, and how it last went.';
