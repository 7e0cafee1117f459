select plan(19);
set mill.now = '2030-01-01 00:00+00';
create table public.earnings_calendar (id uuid primary key default gen_random_uuid(), symbol text not null, eps numeric, fetched_at timestamptz not null default now());
create table public.closed_data (symbol text primary key, fetched_at timestamptz not null default now());
alter table public.closed_data enable row level security;
insert into public.supported_symbols (symbol) values ('AAA'), ('BBB');
set request.jwt.claims = '{"role": "service_role"}';
set role service_role;
select lives_ok($$ insert into public.data_type_registry
  values ('earnings-calendar', 'earnings_calendar', 'fetched_at', 'is_data_stale', 60, 'fetch-fmp-earnings', 'on-demand', null, 0, 5000, 'symbol') $$,
  'K49: a positional INSERT of the first eleven columns is accepted, with a function that is not ours and a table without row level security');
select results_eq($$ select table_name, timestamp_column, default_ttl_minutes, edge_function_name, refresh_strategy, priority, estimated_data_size_bytes, symbol_column, source_timestamp_column
  from public.data_type_registry where data_type = 'earnings-calendar' $$,
  $$ values ('earnings_calendar', 'fetched_at', 60, 'fetch-fmp-earnings', 'on-demand', 0, 5000::bigint, 'symbol', null::text) $$, 'K49: each value is in its column');
select lives_ok($$ insert into public.data_type_registry (data_type, table_name, timestamp_column, staleness_function, default_ttl_minutes, edge_function_name)
  values ('earnings-calendar', 'earnings_calendar', 'fetched_at', 'is_data_stale', 30, 'fetch-fmp-earnings')
  on conflict (data_type) do update set default_ttl_minutes = excluded.default_ttl_minutes $$, 'K2: the registry is upserted');
select is((select default_ttl_minutes from public.data_type_registry where data_type = 'earnings-calendar'), 30, 'K2: the upsert has changed the row');
select lives_ok($$ insert into public.data_type_registry values ('closed', 'closed_data', 'fetched_at', 'is_data_stale', 60, 'fetch-closed', 'on-demand', null, 0, 10, 'symbol') $$,
  'a table of the user''s with row level security');
reset role;
select results_eq($$ select code, detail ->> 'data_type' from mill.event order by id $$,
  $$ values ('row_level_security_missing', 'earnings-calendar'), ('symbol_index_missing', 'earnings-calendar') $$,
  'K49: an event warns about the missing row level security, and another about the missing index');
select is((select queue from mill.kind where kind = 'refresh.earnings-calendar'), 'refresh-external', 'K49: the type waits in the queue that our processor leaves alone');
select is((select served_by || coalesce(function, '-') from mill.queue where queue = 'refresh-external'), 'external-', 'K49: neither our functions nor our worker serve that queue');
select ok(exists (select from pg_publication_tables where pubname = 'supabase_realtime' and tablename = 'earnings_calendar'), 'K52: the table is published for Realtime');

-- Missing, then fresh, then stale.
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
set role authenticated;
select is(public.upsert_active_subscription_v2('11111111-1111-4111-8111-111111111111', 'AAA', 'earnings-calendar'), '{"status": "new", "queued": 1}', 'K49: users watch the type like any other');
reset role;
set request.jwt.claims = '{"role": "service_role"}';
select is(mill.has_pending('refresh'), false, 'our processor has nothing to do');
set role service_role;
select is(public.claim_refresh('processor') -> 'jobs', '[]', 'K49: our processor claims nothing of it');
create temp table batch as select public.get_queue_batch() as jobs;
select is((select jobs #>> '{0,edge_function_name}' from batch), 'fetch-fmp-earnings', 'K49: the user''s processor gets it by get_queue_batch, with the function that fetches it');
select public.complete_queue_job((jobs #>> '{0,id}')::uuid, 10) from batch;
reset role;
insert into public.earnings_calendar (symbol, eps, fetched_at) values ('AAA', 1, mill.now()), ('AAA', 2, mill.now() - interval '2 hours');
select public.check_and_queue_stale_data_from_presence();
select is((select count(*)::int from mill.job_live), 0, 'K49: the newest row counts, and it is fresh');
set mill.now = '2030-01-01 00:31+00';
update public.active_subscriptions_v2 set last_seen_at = mill.now();
select public.check_and_queue_stale_data_from_presence();
select is((select count(*)::int from mill.job_live), 1, 'K49: after its TTL it is asked for again');

-- For our own processor the rules are as strict as before.
select throws_ok($$ insert into public.data_type_registry values ('bad', 'earnings_calendar', 'fetched_at', 'is_data_stale', 60, 'processor', 'on-demand', null, 0, 5000, 'symbol') $$,
  'GM035', null, 'a type of our own processor needs a table with row level security');
select throws_ok($$ insert into public.data_type_registry values ('bad', 'no_such_table', 'fetched_at', 'is_data_stale', 60, 'fetch-x', 'on-demand', null, 0, 5000, 'symbol') $$,
  'GM035', null, 'K49: a table that does not exist is refused for anybody');
set role authenticated;
select throws_ok($$ insert into public.data_type_registry values ('bad', 'earnings_calendar', 'fetched_at', 'is_data_stale', 60, 'fetch-x', 'on-demand', null, 0, 5000, 'symbol') $$,
  '42501', null, 'K49: a user registers nothing');
reset role;
select is((select count(*)::int from public.data_type_registry where data_type = 'bad'), 0, 'what was refused is not there');
select * from finish();
