-- Refresh: data of outside APIs, cached in tables, kept fresh while somebody watches it.
--
--   subscribe ──► active_subscriptions_v2 ──► staleness pass ──► queue refresh ──► processor ──► data table ──► watchers
--                 (the client's heartbeat)     (symbol by symbol)   (the engine's)     (one call a job)
--
-- A data type is a row of data_type_registry. Everything that names a table or a column there is checked against
-- the catalog when the row is written and quoted when it is used.
create table public.data_type_registry (
  data_type text primary key,
  table_name text not null,
  symbol_column text not null default 'symbol',
  timestamp_column text not null default 'fetched_at',
  -- When the provider says that the data was made; null where it does not say.
  source_timestamp_column text,
  staleness_function text not null default 'is_data_stale',
  default_ttl_minutes int not null,
  edge_function_name text not null default 'processor',
  refresh_strategy text not null default 'on-demand',
  refresh_schedule text,
  priority int not null default 5,
  estimated_data_size_bytes bigint not null default 0,
  provider text not null default 'fmp',
  -- A type without code: all three, or none where the processor has a fetcher of that name.
  endpoint_template text,
  response_schema jsonb,
  column_map jsonb,
  is_enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint data_type_is_a_short_word check (data_type ~ '^[a-z][a-z0-9_-]{0,40}$'),
  constraint default_ttl_is_positive check (default_ttl_minutes > 0),
  constraint refresh_strategy_is_known check (refresh_strategy in ('on-demand', 'scheduled')),
  constraint scheduled_types_have_a_schedule check (refresh_strategy = 'on-demand' or refresh_schedule is not null),
  constraint priority_is_above_scheduled_work check (priority between 0 and 100),
  constraint estimate_is_not_negative check (estimated_data_size_bytes >= 0),
  constraint provider_is_a_short_word check (provider ~ '^[a-z][a-z0-9_]{0,30}$'),
  constraint endpoint_schema_and_map_come_together check (
    num_nonnulls(endpoint_template, response_schema, column_map) in (0, 3)),
  -- A path of its provider's host and nothing else; the processor checks the finished address again.
  constraint endpoint_is_a_path_on_its_provider check (
    endpoint_template ~ '^/[A-Za-z0-9]' and endpoint_template !~ '[[:space:][:cntrl:]\\@#]|//|\.\./|/\.\.'
    and length(endpoint_template) <= 500 and replace(endpoint_template, '{symbol}', '') !~ '[{}]'),
  constraint response_schema_is_an_object check (jsonb_typeof(response_schema) = 'object'),
  constraint column_map_is_an_object check (jsonb_typeof(column_map) = 'object')
);
comment on table public.data_type_registry is 'One row per data type; adding one is an INSERT by the owner or the service.';
alter table public.data_type_registry enable row level security;
create policy everyone_reads on public.data_type_registry for select to authenticated, service_role using (true);
revoke all on public.data_type_registry from public, anon, authenticated, service_role;
grant select on public.data_type_registry to authenticated, service_role;
grant insert, update, delete on public.data_type_registry to service_role;

create table public.supported_symbols (
  symbol text primary key,
  name text not null default '',
  exchange text,
  is_active boolean not null default true,
  added_at timestamptz not null default now(),
  constraint symbol_is_a_ticker check (symbol ~ '^[A-Z0-9^][A-Z0-9.^=-]{0,19}$')
);
comment on table public.supported_symbols is 'What may be watched and is refreshed on schedule. Users cannot make us ask for anything else.';
alter table public.supported_symbols enable row level security;
create policy everyone_reads on public.supported_symbols for select to authenticated, service_role using (true);
revoke all on public.supported_symbols from public, anon, authenticated, service_role;
grant select on public.supported_symbols to authenticated;
grant select, insert, update, delete on public.supported_symbols to service_role;

create table public.active_subscriptions_v2 (
  user_id uuid not null,
  symbol text not null references public.supported_symbols on delete cascade,
  data_type text not null references public.data_type_registry on delete cascade,
  subscribed_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  constraint a_user_watches_a_thing_once unique (user_id, symbol, data_type)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
comment on table public.active_subscriptions_v2 is
  'Who is looking at what. Only the client''s heartbeat moves last_seen_at; what is silent for 5 minutes is removed.';
-- The pass walks it symbol by symbol. last_seen_at is in no index: a heartbeat then stays on its page.
create index active_subscriptions_by_symbol on public.active_subscriptions_v2 (symbol, data_type);
alter table public.active_subscriptions_v2 enable row level security;
create policy users_see_their_own on public.active_subscriptions_v2 for select to authenticated using (user_id = auth.uid());
create policy users_end_their_own on public.active_subscriptions_v2 for delete to authenticated using (user_id = auth.uid());
revoke all on public.active_subscriptions_v2 from public, anon, authenticated, service_role;
grant select, delete on public.active_subscriptions_v2 to authenticated;
grant select, insert, update, delete on public.active_subscriptions_v2 to service_role;

-- One row a settled batch and data type, folded into hours after one hour: the quota adds it up at every claim.
create table public.api_data_usage (
  at timestamptz not null,
  provider text not null,
  data_type text not null,
  calls bigint not null,
  bytes bigint not null,
  constraint usage_is_not_negative check (calls >= 0 and bytes >= 0)
);
comment on table public.api_data_usage is 'What the wire carried. Folded into hours; kept for a little longer than the quota''s window.';
create index api_data_usage_at on public.api_data_usage (at);
alter table public.api_data_usage enable row level security;
revoke all on public.api_data_usage from public, anon, authenticated, service_role;
grant select on public.api_data_usage to service_role;

-- Asked and not fresher: the data's own timestamp stays as it is, and this says when to ask again.
create table mill.data_check (
  data_type text not null,
  symbol text not null,
  next_check_at timestamptz not null,
  reason text not null,
  -- Dead letters in a row, and when the last one came: see mill.pause_dead_refreshes.
  failures int not null default 0,
  noted_at timestamptz,
  primary key (data_type, symbol),
  constraint reason_is_known check (reason in ('unchanged', 'dead')),
  constraint a_dead_letter_has_its_time check ((reason = 'dead') = (noted_at is not null)),
  constraint failures_are_counted_from_one check ((reason = 'dead') = (failures > 0))
) with (fillfactor = 80);
comment on table mill.data_check is 'Not before next_check_at is a symbol asked for again: the provider had nothing newer, or its job is a dead letter.';

-- Where the walk of a scheduled type has come to; walking is null when none is under way.
create table mill.refresh_walk (
  data_type text primary key references public.data_type_registry on delete cascade,
  looked_at timestamptz not null,
  walking text
);
comment on table mill.refresh_walk is 'The cursor of a scheduled refresh over supported_symbols.';

-- Feed for those without Supabase Realtime. Ids are given under a lock that is held until commit, so their order is that
-- of commits and a reader who has seen one misses none below it.
create table mill.data_change (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  data_type text not null,
  symbol text not null
);
comment on table mill.data_change is 'One row a written refresh, pruned after an hour.';
create index data_change_at on mill.data_change (at);

create table public.subscription_analytics (
  symbol text not null,
  data_type text not null,
  watchers int not null,
  counted_at timestamptz not null,
  primary key (symbol, data_type)
);
comment on table public.subscription_analytics is 'Watchers by symbol and type, counted in batches by the cleanup and on no hot path.';
alter table public.subscription_analytics enable row level security;
revoke all on public.subscription_analytics from public, anon, authenticated, service_role;
grant select on public.subscription_analytics to service_role;

-- The quota counts what runs, which only queues with a provider do.
alter table mill.queue add constraint a_refresh_queue_draws_on_a_provider check (queue !~ '^refresh(-|$)' or provider is not null);
