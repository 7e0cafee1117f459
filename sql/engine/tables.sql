-- The engine's tables. Everything in schema mill is private: callers use the functions in public.
--
-- A job lives in one logical table, mill.job, split by state:
--
--   job_live   pending, deferred, retrying, processing   hot and small
--   job_done   completed, cancelled                      one partition a day; retention drops whole days
--   job_dead   failed                                    dead letters, kept until an operator speaks
--
--   enqueue ──► pending ──claim──► processing ──settle──► completed
--      │          ▲  ▲                 │ │ └──settle──► failed (dead letter)
--      ▼          │  │                 │ └────cancel──► cancelled
--   deferred ─────┘  └──── retrying ◄──┘ failed attempt, or lease lost
--
-- Claiming is an UPDATE inside job_live, so that no row ever moves between partitions under a claimer:
-- moving one by UPDATE while others run FOR UPDATE SKIP LOCKED raises 40001. Leaving job_live is a
-- DELETE … RETURNING and an INSERT in one statement.
create schema if not exists mill;
revoke all on schema mill from public;

create table mill.queue (
  queue text primary key,
  description text not null default '',
  -- Which function serves it, below functions.base_url; null when the container worker does.
  function text,
  batch_size int not null default 50,
  max_parallel int not null default 4,
  lease_seconds int not null default 300,
  max_attempts int not null default 5,
  max_lease_losses int not null default 3,
  backoff_base_seconds numeric not null default 2,
  backoff_cap_seconds numeric not null default 3600,
  retention_days int not null default 7,
  paused boolean not null default false,
  created_at timestamptz not null default now(),
  constraint queue_name_is_a_short_word check (queue ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint function_name_is_a_path_segment check (function ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint batch_size_is_positive check (batch_size between 1 and 1000),
  constraint max_parallel_is_positive check (max_parallel between 1 and 1000),
  constraint lease_is_at_least_one_second check (lease_seconds between 1 and 86400),
  constraint max_attempts_is_positive check (max_attempts between 1 and 1000),
  constraint max_lease_losses_is_positive check (max_lease_losses between 1 and 1000),
  constraint backoff_grows_from_its_base check (backoff_base_seconds > 0 and backoff_cap_seconds >= backoff_base_seconds),
  constraint retention_is_at_least_one_day check (retention_days between 1 and 3650)
);
comment on table mill.queue is 'One row a queue; adding a queue is an INSERT.';

create table mill.kind (
  kind text primary key,
  queue text not null references mill.queue,
  description text not null default '',
  open_to_users boolean not null default false,
  created_at timestamptz not null default now(),
  constraint kind_name_is_a_short_word check (kind ~ '^[a-z][a-z0-9_.-]{0,62}$')
);
comment on table mill.kind is 'What may be enqueued. open_to_users: signed-in users may submit it for themselves.';

create table mill.job (
  id uuid not null,
  queue text not null,
  kind text not null,
  name text,
  payload jsonb not null,
  state text not null,
  priority int not null default 5,
  run_at timestamptz not null,
  attempt int not null default 0,
  max_attempts int not null,
  lease_losses int not null default 0,
  worker text,
  lease_until timestamptz,
  dedupe_key text,
  group_key text,
  owner uuid,
  parent uuid,
  progress smallint not null default 0,
  result jsonb,
  error jsonb,
  error_log jsonb not null default '[]',
  correlation_id text,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  constraint state_is_known check (
    state in ('pending', 'deferred', 'retrying', 'processing', 'completed', 'cancelled', 'failed')),
  constraint payload_is_a_non_empty_object check (jsonb_typeof(payload) = 'object' and payload <> '{}'),
  constraint progress_is_a_percentage check (progress between 0 and 100),
  constraint processing_has_worker_and_lease check (
    (state = 'processing') = (worker is not null and lease_until is not null) or state in ('completed', 'failed', 'cancelled')),
  constraint finished_at_is_set_when_finished check (
    (state in ('completed', 'cancelled', 'failed')) = (finished_at is not null))
) partition by list (state);

-- fillfactor 70 leaves room for HOT updates of heartbeats; the table is small and churns, so autovacuum
-- comes by after a thousand dead rows instead of after a fifth of a table that has no stable size.
create table mill.job_live partition of mill.job
  for values in ('pending', 'deferred', 'retrying', 'processing')
  with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create table mill.job_done partition of mill.job for values in ('completed', 'cancelled')
  partition by range (finished_at);
create table mill.job_done_default partition of mill.job_done default;
create table mill.job_dead partition of mill.job for values in ('failed');

comment on table mill.job is 'Every job, in the partition that its state names.';
comment on table mill.job_done_default is 'Catches a day that mill.maintain has not prepared: settling never fails for want of one.';

alter table mill.job_live add primary key (id);
alter table mill.job_dead add primary key (id);
create index job_done_id on mill.job_done (id);
create index job_live_ready on mill.job_live (queue, priority desc, id) where state = 'pending';
create index job_live_waiting on mill.job_live (run_at) where state in ('deferred', 'retrying');
create index job_live_leases on mill.job_live (lease_until) where state = 'processing';
create unique index job_live_dedupe on mill.job_live (queue, dedupe_key) where dedupe_key is not null;

-- One row an invocation of a function: asked for, begun (its one claim was made), ended. The id travels in
-- the signed request, so a replayed or duplicated wake-up claims nothing.
create table mill.invocation (
  id uuid primary key,
  queue text not null references mill.queue on delete cascade,
  reason text not null,
  asked_at timestamptz not null,
  begun_at timestamptz,
  ended_at timestamptz,
  claimed int,
  request_id bigint,
  constraint reason_is_known check (reason in ('wake', 'pump', 'more')),
  constraint begun_before_ended check (ended_at is null or begun_at is not null)
);
comment on table mill.invocation is 'What was invoked, why, and what came of it. Pruned after a day.';
create index invocation_not_begun on mill.invocation (queue, asked_at) where begun_at is null;
create index invocation_running on mill.invocation (queue, begun_at) where begun_at is not null and ended_at is null;
create index invocation_age on mill.invocation (asked_at);

-- HMAC pads are kept instead of the key: signing needs nothing else, and neither pgcrypto nor a loop.
create table mill.secret (
  name text primary key,
  inner_pad bytea not null,
  outer_pad bytea not null,
  updated_at timestamptz not null default now()
);
comment on table mill.secret is 'Keys that sign invocations. No role but the owner reads it.';

create table mill.event (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  code text not null,
  detail jsonb not null default '{}'
);
comment on table mill.event is 'What would otherwise only have been a warning in a log.';
create index event_at on mill.event (at);

create table mill.heartbeat (
  part text primary key,
  at timestamptz not null,
  detail jsonb not null default '{}'
);
comment on table mill.heartbeat is 'When each recurring part last ran; health reads it.';
