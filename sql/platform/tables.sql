-- The schema of everything private, and the settings.
create schema if not exists mill;
revoke all on schema mill from public;

-- Settings are rows, so that changing one is an UPDATE and not a deployment.
create table mill.settings (
  key text primary key,
  value text not null,
  type text not null default 'string',
  description text not null default '',
  -- The audit log says that a sensitive value changed, but not the value.
  is_sensitive boolean not null default false,
  updated_at timestamptz not null default now(),
  -- The part of Gristmill that brought the row; null for a row of the operator's.
  part text default nullif(current_setting('mill.part', true), ''),
  constraint type_is_known check (type in ('string', 'number', 'boolean', 'json', 'system'))
);
comment on table mill.settings is 'Settings of the whole system. Secrets have a table of their own.';

-- How much of each thing a user may still cause: see mill.refuse_excess. Rows of users who have been quiet for an hour are removed by mill.prune.
create table mill.user_rate (
  owner uuid not null,
  thing text not null,
  allowance numeric not null,
  at timestamptz not null,
  primary key (owner, thing)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.user_rate is 'What is left of the allowance of each user, as of a time.';
