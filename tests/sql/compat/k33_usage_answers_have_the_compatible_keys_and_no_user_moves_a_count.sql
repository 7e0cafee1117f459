select plan(24);
insert into public.user_profiles (id, user_id) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111');
create function pg_temp.me() returns uuid language sql immutable as $$ select '33333333-3333-4333-8333-333333333333'::uuid $$;
create function pg_temp.be(p_role text, p_user text default null) returns void language plpgsql as $$
begin
  perform set_config('request.jwt.claims', jsonb_strip_nulls(jsonb_build_object('role', p_role, 'sub', p_user))::text, false);
  perform set_config('role', p_role, false);
end $$;
set mill.now = '2030-02-10 12:00+00';

select pg_temp.be('service_role');
select is(public.track_shell_file_upload_usage(pg_temp.me(), '44444444-4444-4444-8444-444444444444', 25000000, 3),
  '{"shell_files_used": 1, "shell_files_limit": 10, "pages_used": 3, "pages_limit": 100, "storage_used_mb": 25.00, "storage_limit_mb": 100, "over_limit": false, "upgrade_required": false, "plan_type": "free"}',
  'K33: track_shell_file_upload_usage answers exactly the compatible keys');
select is(public.track_shell_file_upload_usage(pg_temp.me(), '44444444-4444-4444-8444-444444444445', 1000000, null) ->> 'pages_used', '4', 'K33: null pages mean the default of one');
select is(public.track_ai_processing_usage(pg_temp.me(), '55555555-5555-4555-8555-555555555555', 60000, 90),
  '{"ai_tokens_used": 60000, "ai_tokens_limit": 50000, "ai_processing_jobs": 1, "over_limit": true}', 'K34: track_ai_processing_usage answers exactly the compatible keys');
select is(public.track_ai_processing_usage(pg_temp.me(), '55555555-5555-4555-8555-555555555555', 60000, 90) ->> 'ai_tokens_used', '60000', 'K34: a job is counted once');

-- A user.
select pg_temp.be('authenticated', '11111111-1111-4111-8111-111111111111');
select is(public.get_user_usage_status(pg_temp.me()) - array['profile_id', 'plan', 'price_cents', 'month', 'resets_at', 'meters', 'ai_seconds', 'over', 'billing_enabled', 'is_blocked', 'upgrade_prompt'],
  '{"current_period": {"start": "2030-02-01", "end": "2030-02-28"}, "usage": {"shell_files": {"used": 2, "limit": 10, "percentage": 20.0}, "pages": {"used": 4, "limit": 100, "percentage": 4.0},
    "ai_tokens": {"used": 60000, "limit": 50000, "percentage": 120.0}, "storage": {"used_mb": 26.00, "limit_mb": 100, "percentage": 26.0}},
    "status": {"plan_type": "free", "over_limit": true, "upgrade_required": false}}', 'K35: get_user_usage_status answers the compatible keys');
select is(public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), -99000000, -7) ->> 'shell_files_used', '2', 'K33: a user''s call counts nothing');
select throws_ok($$ select public.track_ai_processing_usage(pg_temp.me(), gen_random_uuid(), 0) $$, '42501', null, 'K34: a user cannot count model calls');
select results_eq($$ select profile_id, billing_cycle_start, billing_cycle_end, shell_files_uploaded, total_pages_processed, total_file_size_mb, ai_tokens_used, ai_processing_jobs, ai_processing_minutes,
    storage_used_mb, plan_type, shell_files_limit, is_over_limit, upgrade_required, warnings_sent from public.user_usage_tracking $$,
  $$ values (pg_temp.me(), date '2030-02-01', date '2030-02-28', 2, 4, 26.00::numeric(10, 2), 60000::bigint, 1, 1.50::numeric(10, 2), 26.00::numeric(10, 2), 'free', 10, true, false, 1) $$,
  'K36: user_usage_tracking shows what was counted');
select is((select array_agg(distinct event_type order by event_type) from public.usage_events), array['ai_processing_completed', 'limit_hit', 'shell_file_uploaded'], 'K36: usage_events shows the events');
select is((select count(distinct id) from public.usage_events), (select count(*) from public.usage_events), 'K36: each event has an id of its own');
select throws_ok($$ insert into public.usage_events (profile_id, event_type) values (pg_temp.me(), 'storage_used') $$, '42501', null, 'K36: a user writes no event');
select throws_ok($$ update public.user_usage_tracking set shell_files_uploaded = 0 $$, '55000', null, 'K36: a user changes no count');
select throws_ok($$ update public.subscription_plans set shell_files_limit = null $$, '42501', null, 'K36: a user changes no plan');

-- Another user, and nobody.
select pg_temp.be('authenticated', '22222222-2222-4222-8222-222222222222');
select throws_ok($$ select public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), 1) $$, '42501', null, 'K33: another''s profile is refused');
select throws_ok($$ select public.get_user_usage_status(pg_temp.me()) $$, '42501', null, 'K35: another''s usage is refused');
select is((select count(*) from public.user_usage_tracking) + (select count(*) from public.usage_events), 0::bigint, 'K36: another''s usage is not seen');
select pg_temp.be('anon');
select is((select array_agg(plan_type order by sort_order) from public.subscription_plans), array['free', 'basic', 'premium', 'enterprise'], 'K36: plans are read without a token');
select throws_ok($$ select from public.user_usage_tracking $$, '42501', null, 'K36: usage is not read without a token');
select throws_ok($$ select public.get_user_usage_status(pg_temp.me()) $$, '42501', null, 'K35: usage is not asked for without a token');

-- Prompts, and no counting.
reset role;
update mill.settings set value = 'true' where key = 'features.upgrade_prompts_enabled';
select pg_temp.be('authenticated', '11111111-1111-4111-8111-111111111111');
select is(public.get_user_usage_status(pg_temp.me()) #> '{status,upgrade_required}', 'true', 'K35: an upgrade is required where prompts are on');
reset role;
update mill.settings set value = 'false' where key = 'features.usage_tracking_enabled';
select pg_temp.be('authenticated', '11111111-1111-4111-8111-111111111111');
select is(public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), 1), '{"tracking_disabled": true}', 'K33: while nothing is counted the answer says so');
select is(public.get_user_usage_status(pg_temp.me()), '{"tracking_disabled": true}', 'K35: while nothing is counted the status says so');
select pg_temp.be('service_role');
select is(public.track_ai_processing_usage(pg_temp.me(), gen_random_uuid(), 5), '{"tracking_disabled": true}', 'K34: while nothing is counted model calls are not');
reset role;
select is((select ai_tokens_used from public.user_usage_tracking), 60000::bigint, 'K34: nothing was counted meanwhile');
select * from finish();
