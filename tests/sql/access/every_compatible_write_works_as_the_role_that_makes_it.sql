-- Each write that the documents show, as PostgREST sends it: role and claims are set, and an upsert sets every column that was
-- sent, the key among them. Each of them changes something, so that every trigger does its work.
select plan(28);
create function pg_temp.write(p_as text, p_statement text) returns text language plpgsql as $$
declare
  v_rows bigint;
begin
  perform set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', case p_as when 'service' then 'service_role' else 'authenticated' end,
    'sub', case p_as when 'owner' then '11111111-1111-4111-8111-111111111111' when 'stranger' then '22222222-2222-4222-8222-222222222222' end))::text, true);
  execute format('set local role %I', case p_as when 'service' then 'service_role' else 'authenticated' end);
  execute p_statement;
  get diagnostics v_rows = row_count;
  execute 'reset role';
  return 'wrote ' || v_rows;
exception when others then
  return sqlstate || ' ' || sqlerrm;
end $$;
create function pg_temp.writes(p_as text, p_statement text, p_claim text) returns text language sql as $$
  select is(pg_temp.write(p_as, p_statement), 'wrote 1', p_claim) $$;

-- Documents.
select pg_temp.writes('owner', $$ insert into public.documents (id, title, data) values ('00000000-0000-4000-8000-0000000000d1', 'Resume', '{"a": 1}') $$,
  'an owner inserts a document');
select pg_temp.writes('owner', $$ update public.documents set title = 'CV', data = '{"a": 2}' where id = '00000000-0000-4000-8000-0000000000d1' $$,
  'an owner updates a document');
select pg_temp.writes('owner', $$ insert into public.documents (data, id, title) values ('{"a": 3}', '00000000-0000-4000-8000-0000000000d1', 'CV') on conflict (id)
  do update set data = excluded.data, id = excluded.id, title = excluded.title returning * $$, 'an owner upserts a document');
select results_eq($$ select title, data, version, updated_at > created_at, owner from public.documents $$,
  $$ values ('CV', '{"a": 3}'::jsonb, 3, true, '11111111-1111-4111-8111-111111111111'::uuid) $$, 'each change of a document is a new version');
select is(pg_temp.write('owner', $$ update public.documents set id = gen_random_uuid() $$), '42501 the id of a document cannot change',
  'a document keeps its id');
select is(pg_temp.write('owner', $$ update public.documents set version = 9 $$), '42501 permission denied for table documents',
  'an owner does not set the version of a document');
select is(pg_temp.write('stranger', $$ update public.documents set title = 'mine' $$), 'wrote 0', 'a stranger updates nobody''s document');
select is(left(pg_temp.write('stranger', $$ insert into public.documents (id, title) values ('00000000-0000-4000-8000-0000000000d1', 'mine') on conflict (id)
  do update set id = excluded.id, title = excluded.title $$), 5), '42501', 'a stranger''s upsert takes nobody''s document');
select pg_temp.writes('service', $$ update public.documents set title = 'Letter' where id = '00000000-0000-4000-8000-0000000000d1' $$,
  'the service updates a document');
select pg_temp.writes('service', $$ insert into public.documents (id, owner, title) values ('00000000-0000-4000-8000-0000000000d1', '11111111-1111-4111-8111-111111111111', 'Note')
  on conflict (id) do update set id = excluded.id, owner = excluded.owner, title = excluded.title $$, 'the service upserts a document');
select is((select version from public.documents), 5, 'the service''s changes count as versions too');

-- Exports of it.
select pg_temp.writes('owner', $$ insert into public.export_jobs (user_id, document_id, format, options, status)
  values ('11111111-1111-4111-8111-111111111111', '00000000-0000-4000-8000-0000000000d1', 'pdf', '{}', 'pending') returning * $$, 'an owner asks for an export by the table');
select pg_temp.writes('service', $$ insert into public.export_jobs (user_id, document_id, format)
  values ('11111111-1111-4111-8111-111111111111', '00000000-0000-4000-8000-0000000000d1', 'pdf') returning * $$, 'the service asks for an export by the table');
select pg_temp.writes('owner', $$ delete from public.documents $$, 'an owner deletes a document that has exports');

-- Jobs of tasks.
select pg_temp.writes('owner', $$ insert into public.jobs (type, params, user_id) values ('echo', '{}', '11111111-1111-4111-8111-111111111111') returning id $$,
  'a user starts a workflow by the table');
select pg_temp.writes('service', $$ insert into public.jobs (type, params, user_id) values ('echo', '{}', '11111111-1111-4111-8111-111111111111') returning id $$,
  'the service starts a workflow by the table');
select pg_temp.writes('service', $$ insert into public.workflow_definition (type, tasks) values ('shout', '[{"key": "one", "kind": "echo", "input": {"a": 1}}]') on conflict (type, version)
  do update set type = excluded.type, tasks = excluded.tasks $$, 'the service upserts a workflow definition');

-- Refresh.
select pg_temp.writes('service', $$ insert into public.supported_symbols (symbol) values ('ABC') on conflict (symbol) do update set symbol = excluded.symbol $$,
  'the service upserts a symbol');
select pg_temp.writes('service', $$ insert into public.active_subscriptions_v2 (data_type, symbol, user_id) values ('quote', 'ABC', '11111111-1111-4111-8111-111111111111')
  on conflict (user_id, symbol, data_type) do update set data_type = excluded.data_type, symbol = excluded.symbol, user_id = excluded.user_id $$,
  'the service upserts a subscription, which begins now');
select pg_temp.writes('owner', $$ delete from public.active_subscriptions_v2 where user_id = '11111111-1111-4111-8111-111111111111' and symbol = 'ABC' and data_type = 'quote' $$,
  'a user ends a subscription');
select pg_temp.writes('service', $$ insert into public.data_type_registry (data_type, table_name, default_ttl_minutes) values ('quote', 'quotes', 2) on conflict (data_type)
  do update set data_type = excluded.data_type, table_name = excluded.table_name, default_ttl_minutes = excluded.default_ttl_minutes $$,
  'the service upserts a data type');
select pg_temp.writes('service', $$ insert into public.data_type_registry (data_type, table_name, default_ttl_minutes, endpoint_template, response_schema, column_map)
  select 'quote-slow', 'quotes', 60, '/stable/quote-slow', '{"type": "object"}', (select jsonb_object_agg(a.attname, '/' || a.attname) from pg_attribute a
    where a.attrelid = 'public.quotes'::regclass and a.attnum > 0 and a.attnotnull and a.attname <> 'fetched_at') $$,
  'the service inserts a data type');
select is((select queue from mill.kind where kind = 'refresh.quote-slow'), 'refresh', 'what the service registers is a kind of job');

-- Settings, limits, plans, people.
select pg_temp.writes('service', $$ insert into public.api_rate_limits (provider_name, api_endpoint, requests_per_minute) values ('openai', 'gpt-4o-mini', 7)
  on conflict (provider_name, api_endpoint) do update set provider_name = excluded.provider_name, api_endpoint = excluded.api_endpoint, requests_per_minute = excluded.requests_per_minute $$,
  'the service upserts a provider''s limit that queues draw on');
select pg_temp.writes('service', $$ insert into public.system_configuration (config_key, config_value) values ('queue.payload_max_bytes', '70000')
  on conflict (config_key) do update set config_key = excluded.config_key, config_value = excluded.config_value $$, 'the service upserts a setting');
select pg_temp.writes('service', $$ insert into public.subscription_plans (plan_type, monthly_price_cents) values ('free', 1)
  on conflict (plan_type) do update set plan_type = excluded.plan_type, monthly_price_cents = excluded.monthly_price_cents $$, 'the service upserts a plan that profiles have');
select pg_temp.writes('owner', $$ insert into public.user_profiles (display_name) values ('Ann') $$, 'a user makes a profile');
select pg_temp.writes('owner', $$ insert into public.profile_access_grants (profile_id, grantee_user_id)
  select id, '22222222-2222-4222-8222-222222222222' from public.user_profiles $$, 'a user lets another into a profile');
select * from finish();
