create table mill.gauge (
  name text primary key,
  help text not null,
  -- What its subjects are, as a label of Prometheus.
  label text not null,
  measure text not null,
  part text default nullif(current_setting('mill.part', true), ''),
  constraint gauge_is_named_as_prometheus_does check (name ~ '^[a-z][a-z0-9_]*$' and label ~ '^[a-z][a-z0-9_]*$'),
  constraint measure_is_a_function_of_ours check (measure ~ '^mill\.[a-z_0-9]+$')
);
comment on table mill.gauge is 'Numbers that a part adds to /metrics. Adding one is an INSERT; its measure is a function that answers (subject text, value numeric).';
