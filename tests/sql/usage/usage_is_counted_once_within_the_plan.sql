select plan(28);
set mill.now = '2030-01-31 23:59+00';
insert into public.user_profiles (id, user_id) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111');
create function pg_temp.me() returns uuid language sql immutable as $$ select '33333333-3333-4333-8333-333333333333'::uuid $$;
create function pg_temp.meter(p_meter text, p_field text) returns text language sql as $$ select public.get_user_usage_status(pg_temp.me()) #>> array['meters', p_meter, p_field] $$;
select is(public.get_user_usage_status(pg_temp.me()) -> 'meters' -> 'files', '{"used": 0, "limit": 10, "percent": 0.0, "is_over": false}', 'a month without a row is a month without use');
select is(public.track_ai_processing_usage(pg_temp.me(), '44444444-4444-4444-8444-444444444444', 700, 59) ->> 'ai_tokens_used', '700', 'model use counts in a month that has no row yet');
select is(public.track_ai_processing_usage(pg_temp.me(), '44444444-4444-4444-8444-444444444444', 700, 59) ->> 'ai_tokens_used', '700', 'model use counts once per job');
select is(public.track_ai_processing_usage(pg_temp.me(), null, 300, 31) ->> 'ai_tokens_used', '1000', 'model use without a job counts with each call');
select is(pg_temp.meter('ai_tokens', 'used'), '1000', 'tokens add up');
select is((public.get_user_usage_status(pg_temp.me()) ->> 'ai_seconds')::numeric, 90::numeric, 'seconds are kept: no minute is lost');

create temp table file as select gen_random_uuid() as id;
select is(public.track_shell_file_upload_usage(pg_temp.me(), (select id from file), 30000000, 5), '{"plan_type": "free", "over_limit": false, "pages_used": 5, "pages_limit": 100, "storage_used_mb": 30.00, "storage_limit_mb": 100, "shell_files_used": 1, "shell_files_limit": 10, "upgrade_required": false}', 'an upload counts');
select is(public.track_shell_file_upload_usage(pg_temp.me(), (select id from file), 30000000, 5) ->> 'shell_files_used', '1', 'an upload counts once');
select is(array[pg_temp.meter('files', 'used'), pg_temp.meter('pages', 'used'), pg_temp.meter('storage_mb', 'used')::numeric::int::text], array['1', '5', '30'], 'an upload counts as a file, its pages and its size');
select public.track_shell_file_processed_usage(pg_temp.me(), (select id from file), 3);
select is(pg_temp.meter('pages', 'used'), '3', 'the real pages take the place of the estimate');

set mill.now = '2030-02-01 00:00+00';
select is(array[pg_temp.meter('files', 'used'), pg_temp.meter('storage_mb', 'used')::numeric::int::text], array['0', '30'], 'a new month counts anew, but what is stored stays stored');
select mill.release_storage(pg_temp.me(), (select id from file));
select mill.release_storage(pg_temp.me(), (select id from file));
select is(pg_temp.meter('storage_mb', 'used')::numeric, 0::numeric, 'erasing a file twice frees its stored bytes once');

-- Limits.
select public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), 1, 1) from generate_series(1, 10);
select is(public.get_user_usage_status(pg_temp.me()) -> 'over', '[]', 'ten files of ten are not over');
select is(public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), 1, 1) - array['pages_used', 'pages_limit', 'storage_used_mb', 'storage_limit_mb'], '{"plan_type": "free", "over_limit": true, "shell_files_used": 11, "shell_files_limit": 10, "upgrade_required": false}', 'without billing the eleventh file is counted all the same');
select is((select count(*) from public.usage_events where event_type = 'limit_hit'), 1::bigint, 'without billing a use past the limit is on record');
select public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), 1, 1);
select is((select count(*) from public.usage_events where event_type = 'limit_hit'), 1::bigint, 'a use past the limit is on record once a day');
update mill.settings set value = 'true' where key in ('features.billing_enabled', 'features.upgrade_prompts_enabled');
create temp table refused as select gen_random_uuid() as id;
select is(public.track_shell_file_upload_usage(pg_temp.me(), (select id from refused), 1, 1) ->> 'upgrade_required', 'true', 'with billing a file past the limit requires an upgrade');
select is(pg_temp.meter('files', 'used'), '12', 'nothing was counted of a file that the plan refused');
select is(array[public.get_user_usage_status(pg_temp.me()) ->> 'is_blocked', public.get_user_usage_status(pg_temp.me()) ->> 'upgrade_prompt'], array['true', 'true'], 'the status says so');
select is(public.change_plan(pg_temp.me(), 'premium'), 'premium', 'a larger plan');
select is(public.track_shell_file_upload_usage(pg_temp.me(), (select id from refused), 1, 1) ->> 'over_limit', 'false', 'a larger plan lets the same file in: limits come from the plan');
select public.change_plan(pg_temp.me(), 'enterprise');
select public.track_ai_processing_usage(pg_temp.me(), gen_random_uuid(), 900000000, 0);
select is(public.get_user_usage_status(pg_temp.me()) #> '{meters,ai_tokens}', '{"used": 900000000, "limit": null, "percent": null, "is_over": false}', 'unlimited is never over');
select throws_ok($$ select public.change_plan(pg_temp.me(), 'gold') $$, 'GM025', null, 'an unknown plan is refused');
select results_eq($$ select event_type from public.usage_events where event_type like 'plan%' order by id $$, $$ values ('plan_upgraded'), ('plan_upgraded') $$, 'changes of plan are events');
select is((select count(*) from mill.audit_log where action = 'change_plan' and patient_id = pg_temp.me()), 2::bigint, 'changes of plan are in the audit log');

set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}';
select throws_ok($$ select public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), 1) $$, '42501', 'this profile does not exist, or is not yours', 'nobody counts for another''s profile');
select throws_ok($$ select public.get_user_usage_status(gen_random_uuid()) $$, '42501', 'this profile does not exist, or is not yours', 'the profile of another user looks like one that does not exist');
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
select public.track_shell_file_upload_usage(pg_temp.me(), gen_random_uuid(), -5000000, -7);
reset role;
select is((select bytes from mill.stored_bytes), 13::bigint, 'negative sizes buy nothing');
select * from finish();
