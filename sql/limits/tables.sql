-- What providers admit: one row per provider and endpoint. Callers reserve before they call and settle afterwards.
--
--   reserve_api_capacity ─┐ under one lock per limit:      ┌─► mill.api_use    what was granted, and when
--   a claim of a queue ───┴► is there room for n requests,─┴─► mill.api_lease  a slot, for callers without a job
--                            t tokens and n slots?
--   settle_api_capacity, settle ──► one more row in mill.api_use, at the time of the grant: actual less estimated
--
-- acquire_api_capacity and release_api_capacity (sql/compat) are the same for callers that know no lease id.
--
-- Windows slide: what counts is every row of the last 60 seconds and of the last hour, so no boundary lets twice the
-- limit through. Rows are only ever added, so settling waits for nobody; mill.fold_api_use folds what is older than the
-- minute, and the hour then slides by whole minutes, at most one too long and never too short.
--
-- A job's slot is the job itself while it is processing under a live lease. So whatever ends a job gives its slot
-- back, and there is nothing to leak. A slot taken without a job is a row with an expiry.
create table mill.api_rate_limits (
  provider_name text not null,
  api_endpoint text not null,
  requests_per_minute int,
  requests_per_hour int,
  tokens_per_minute bigint,
  tokens_per_hour bigint,
  concurrent_requests int,
  backpressure_threshold numeric(3, 2) not null default 0.8,
  backpressure_delay_seconds int not null default 30,
  queue_depth_limit int,
  -- How long a slot without a job may be silent.
  lease_seconds int not null default 300,
  status text not null default 'active',
  -- When anybody was last refused, by this limit or by the provider itself.
  last_rate_limit_hit timestamptz,
  -- How often this limit refused a call that was asked for.
  rate_limit_violations bigint not null default 0,
  -- How often the provider itself said no (429). Alerts count these, as events.
  provider_refusals bigint not null default 0,
  -- After such a no nobody is let through until then.
  blocked_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The part of Gristmill that brought the row; null for a row of the operator's.
  part text default nullif(current_setting('mill.part', true), ''),
  id uuid not null default gen_random_uuid(),
  primary key (provider_name, api_endpoint),
  constraint an_id_names_one_limit unique (id),
  constraint requests_per_minute_is_positive check (requests_per_minute > 0),
  constraint requests_per_hour_is_positive check (requests_per_hour > 0),
  constraint tokens_per_minute_is_positive check (tokens_per_minute > 0),
  constraint tokens_per_hour_is_positive check (tokens_per_hour > 0),
  constraint concurrent_requests_is_positive check (concurrent_requests > 0),
  constraint threshold_is_a_share check (backpressure_threshold > 0 and backpressure_threshold <= 1),
  constraint delay_is_not_negative check (backpressure_delay_seconds >= 0),
  constraint queue_depth_limit_is_positive check (queue_depth_limit > 0),
  constraint lease_is_at_least_one_second check (lease_seconds between 1 and 86400),
  constraint status_is_known check (status in ('active', 'disabled', 'maintenance'))
) with (fillfactor = 50); -- refusals are counted here
comment on table mill.api_rate_limits is
  'What each provider admits; null is no limit. disabled and maintenance: nothing is let through. A queue names the row that its jobs draw on.';

insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute, tokens_per_minute, concurrent_requests) values
  ('openai', 'gpt-4o-mini', 500, 200000, 50),
  ('openai', 'gpt-4-vision', 100, 20000, 20),
  ('google', 'vision-api', 1800, null, 100),
  ('anthropic', 'claude-3', 400, 100000, 25),
  ('builtin', 'rules', null, null, null); -- rules and dictionaries on this machine

-- A queue cannot name a limit that is not there: no claim ever passes for want of a row.
alter table mill.queue
  add constraint a_provider_is_named_with_its_endpoint check ((provider is null) = (endpoint is null)),
  add constraint the_limit_of_a_queue_exists foreign key (provider, endpoint)
    references mill.api_rate_limits on update cascade;

create table mill.api_use (
  at timestamptz not null,
  tokens bigint not null,
  requests int not null,
  provider text not null,
  endpoint text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
comment on table mill.api_use is 'Grants, and what settling took back or added, at the time of the grant. A row a call, not a job.';
create index api_use_window on mill.api_use (provider, endpoint, at) include (requests, tokens);

create table mill.api_use_minute (
  provider text not null,
  endpoint text not null,
  minute timestamptz not null,
  requests bigint not null,
  tokens bigint not null,
  primary key (provider, endpoint, minute)
) with (fillfactor = 70);
comment on table mill.api_use_minute is 'mill.api_use, folded into minutes once it is older than one.';

create table mill.api_lease (
  id uuid primary key,
  provider text not null,
  endpoint text not null,
  tokens bigint not null,
  taken_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- The caller has said what it really used; an expired lease may still be settled.
  is_settled boolean not null default false,
  -- Given out by acquire_api_capacity, so release_api_capacity may end it.
  is_compat boolean not null default false,
  constraint settled_means_ended check (not is_settled or ended_at is not null)
) with (fillfactor = 70);
comment on table mill.api_lease is 'Slots that were acquired without a job. The tick ends those that nobody gave back.';
create index api_lease_open on mill.api_lease (provider, endpoint, taken_at) where ended_at is null;
create index api_lease_age on mill.api_lease (taken_at);
