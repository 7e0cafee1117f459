-- Exports, refresh and usage, as their screens ask for them.
select plan(18);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
insert into mill.usage_of_month (profile_id, month, files_uploaded, pages, ai_tokens, updated_at)
select '33333333-3333-4333-8333-333333333333', m::date, 5, 90, 1000, now() from generate_series(date_trunc('month', now() at time zone 'utc') - interval '2 months', date_trunc('month', now() at time zone 'utc'), interval '1 month') m;
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
insert into public.documents (id, owner, title, data) values ('55555555-5555-4555-8555-555555555555', '11111111-1111-4111-8111-111111111111', 'Resume <b>', '{"basics": {"name": "Ada"}}');
select set_config('test.export', (public.request_export('55555555-5555-4555-8555-555555555555') ->> 'id'), false);
insert into public.supported_symbols (symbol) values ('AAPL') on conflict do nothing;
insert into public.active_subscriptions_v2 (user_id, symbol, data_type)
select '11111111-1111-4111-8111-111111111111'::uuid, 'AAPL', r.data_type from public.data_type_registry r order by 1, 2, 3 limit 1;
insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes) values (mill.now() - interval '5 minutes', 'fmp', 'profile', 3, 3000);
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('role', 'authenticated', false), set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', 'authenticated',
    'sub', '00000000-0000-4000-8000-00000000000' || case p_role when 'viewer' then 'a' else 'c' end, 'email', p_role || '@example.com', 'gristmill_role', p_role))::text, false) $$;

select pg_temp.as_role(null);
select throws_ok(format('select public.%s()', f), '42501', null, format('without a role %s answers nobody', f)) from unnest(array['console_exports', 'console_refresh', 'console_usage']) f;
select pg_temp.as_role('viewer');
select is(public.console_exports() #>> '{exports,0,title}', 'Resume <b>', 'exports of every user are listed');
select is(public.console_exports() #>> '{exports,0,status}', 'pending', 'exports are listed with their status');
select is(jsonb_array_length(public.console_exports('status:completed') -> 'exports'), 0, 'a search by status leaves the others out');
select is(jsonb_array_length(public.console_exports('resume owner:11111111-1111-4111-8111-111111111111') -> 'exports'), 1, 'a search by title and owner finds one');
select is(public.console_exports('', null, 1) ->> 'cursor', current_setting('test.export'), 'a full page has a cursor');
select is(public.console_exports('', current_setting('test.export')) - array['looked', 'query', 'actions'], '{"exports": [], "done": true, "cursor": null}', 'behind which nothing more comes');
select throws_ok(format('select public.console_reveal_export(%L, %L)', current_setting('test.export'), 'why'), '42501', null, 'a viewer reads no PDF');
select is((select t #> '{freshness}' from jsonb_array_elements(public.console_refresh() -> 'types') t where (t #>> '{freshness,watched}')::int > 0), '{"watched": 1, "stale": 1, "error": null}',
  'a type says how many of its watched symbols are stale');
select is((select t #> '{hour}' from jsonb_array_elements(public.console_refresh() -> 'types') t where t ->> 'type' = 'profile'), '{"calls": 3, "bytes": 3000, "actual": 1000}', 'a data type shows how many rows a call really carried');
select is((public.console_refresh() #>> '{quota,used}')::int, 3000, 'the quota is shown');
select is((select sum((m ->> 'calls')::int) from jsonb_array_elements(public.console_refresh() -> 'minutes') m), 3::bigint, 'the calls of refresh are shown per minute');
select is(public.console_usage() #> '{profiles,0,meters,pages}', '{"used": 90.00, "allowed": 100, "over": false, "percent": 90.0}', 'a profile''s usage stands beside its plan');
select is(jsonb_array_length(public.console_usage() -> 'months'), 3, 'months are summed for the chart');
select pg_temp.as_role('admin');
select ok(public.console_reveal_export(current_setting('test.export')::uuid, 'ticket 43') ? 'until', 'an admin opens an export with a reason');
select throws_ok(format('select public.download_export(%L)', current_setting('test.export')), 'GM055', null, 'an admin who opened an export is told what its owner would be told');
select * from finish();
