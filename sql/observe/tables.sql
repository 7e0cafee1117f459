-- What watches the system: workers that were seen, health checks, alert rules and alerts. Checks and rules are rows, so that a part of
-- the system adds its own with an INSERT in its own file.

create table mill.worker (
  worker text primary key,
  queues text[] not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  -- When it said that it ends. Null again as soon as a worker of this name claims.
  ended_at timestamptz
) with (fillfactor = 50);
comment on table mill.worker is 'Container workers, when each last claimed or extended a lease, and when it said that it ends.';

-- A check is a function that answers a row for each thing that is not well: (detail text). No row: all is well.
create table mill.health_check (
  name text primary key,
  step text not null,
  place int not null default 100,
  part text default nullif(current_setting('mill.part', true), ''),
  constraint step_is_a_function_of_ours check (step ~ '^mill\.[a-z_0-9]+$')
);
comment on table mill.health_check is 'What health looks at, beside whether Postgres answers at all.';

-- A rule measures (subject, value) and fires for each subject whose value has been above the threshold for hold_seconds.
create table mill.alert_rule (
  rule text primary key,
  severity text not null,
  description text not null,
  measure text not null,
  threshold numeric not null,
  hold_seconds int not null default 0,
  enabled boolean not null default true,
  part text default nullif(current_setting('mill.part', true), ''),
  constraint severity_is_known check (severity in ('P0', 'P1', 'P2')),
  constraint measure_is_a_function_of_ours check (measure ~ '^mill\.[a-z_0-9]+$'),
  constraint hold_is_not_negative check (hold_seconds >= 0)
);
comment on table mill.alert_rule is 'When to alarm. Adding a rule is an INSERT; its measure is a function that answers (subject text, value numeric).';

create table mill.alert (
  id uuid primary key,
  rule text not null references mill.alert_rule on delete cascade,
  subject text not null,
  state text not null,
  value numeric not null,
  since timestamptz not null,
  fired_at timestamptz,
  resolved_at timestamptz,
  constraint alert_state_is_known check (state in ('pending', 'firing', 'resolved')),
  constraint firing_has_fired check (state = 'pending' or fired_at is not null),
  constraint resolved_says_when check ((state = 'resolved') = (resolved_at is not null))
);
comment on table mill.alert is 'What alarmed. pending: above its threshold, not yet for long enough.';
create unique index one_open_alert_a_subject on mill.alert (rule, subject) where state <> 'resolved';
create index alert_resolved on mill.alert (resolved_at) where state = 'resolved';

create table mill.alert_endpoint (
  name text primary key,
  url text not null,
  -- Only alerts of these severities are sent there.
  severities text[] not null default array['P0', 'P1', 'P2'],
  enabled boolean not null default true,
  constraint url_is_https_or_local check (url ~ '^https://[^/]' or url ~ '^http://(127\.0\.0\.1|localhost)(:\d+)?(/|$)'),
  constraint severities_are_known check (severities <@ array['P0', 'P1', 'P2'])
);
comment on table mill.alert_endpoint is 'Where alerts are delivered, as signed webhooks.';

-- gristmill migrate writes down what it has made, so that what was lost or changed later can be named and restored (mill.damage).
create table mill.catalog (
  kind text not null,
  name text not null,
  -- The routine or relation without which this thing cannot be there, as "KIND NAME"; its own name for a routine or relation.
  belongs_to text not null,
  -- Postgres' own words about it. What has other words now was changed.
  state text not null,
  mend text not null,
  -- The major version of Postgres whose words these are: other versions may put the same thing differently.
  postgres int not null,
  primary key (kind, name)
);
comment on table mill.catalog is 'What the installed release has made: routines, tables, columns, indexes, constraints, triggers, policies, grants. mend: the SQL that restores it.';

create table mill.catalog_before (
  kind text not null,
  name text not null,
  state text not null,
  primary key (kind, name)
);
comment on table mill.catalog_before is 'What a migration that is under way has found. Empty at any other time.';

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
