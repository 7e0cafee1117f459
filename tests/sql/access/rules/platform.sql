-- Identity, settings, audit, provider limits.
insert into relation_rule (relation, owner_may, service_may, seed, forge) values
  ('system_configuration', '', 'select insert update delete', null, null),
  ('user_profiles', 'select insert update', 'select insert update delete', null,
    $$ insert into public.user_profiles (user_id, display_name) values ({owner}, 'forged') $$),
  ('profile_access_grants', 'select insert delete', 'select insert update delete',
    $$ insert into public.profile_access_grants (profile_id, grantee_user_id, granted_by) values ({profile}, '44444444-4444-4444-8444-444444444444', {owner}) $$,
    $$ insert into public.profile_access_grants (profile_id, grantee_user_id) values ({profile}, {stranger}) $$),
  ('audit_log', '', 'select', $$ select mill.audit('user_profiles', {profile}, 'walk', p_patient_id => {profile}) $$, null),
  ('api_rate_limits', '', 'select insert update delete', null, null);
insert into rpc_rule (rpc, anyone, owner, probe, subject, is_mute) values
  ('is_service_role', true, true, null, null, false),
  ('has_profile_access', false, true, 'public.has_profile_access(auth.uid(), {id})', 'select id from public.user_profiles where id = {profile}', false),
  ('accessible_profiles', false, true, null, null, false),
  ('default_profile', false, true, null, null, false);
-- Only whom a grant names accepts it: to its owner, to a stranger and to nobody it is the same as none.
insert into rpc_rule (rpc, owner, service, probe, subject, is_mute) values
  ('accept_profile_access', true, false, 'public.accept_profile_access({id})', 'select g.id from public.profile_access_grants g where g.granted_by = {owner} limit 1', true);
insert into rpc_rule (rpc) values
  ('log_audit_event'), ('verify_audit_log'), ('reserve_api_capacity'), ('settle_api_capacity'), ('report_api_rate_limit'), ('limit_of_call');

-- Usage. A stranger learns nothing of a profile, not even that it exists.
insert into relation_rule (relation, anyone_may, owner_may, service_may, is_shared) values
  ('subscription_plans', 'select', 'select', 'select insert update delete', true);
insert into relation_rule (relation, owner_may, service_may, seed, is_shared) values
  ('user_usage_tracking', 'select', 'select', $$ select public.track_shell_file_upload_usage({profile}, gen_random_uuid(), 10, 1) $$, false),
  ('usage_events', 'select', 'select', null, false);
insert into rpc_rule (rpc, owner, probe, subject) values
  ('track_shell_file_upload_usage', true, 'public.track_shell_file_upload_usage({id}, gen_random_uuid(), 10)', 'select id from public.user_profiles where id = {profile}'),
  ('get_user_usage_status', true, 'public.get_user_usage_status({id})', 'select id from public.user_profiles where id = {profile}');
insert into rpc_rule (rpc) values ('track_shell_file_processed_usage'), ('track_ai_processing_usage'), ('change_plan'), ('set_maintenance');
-- Readers call default_profile, which writes only at a user's first call; jobs that run count what they use.
update rpc_rule set goes_on = true where rpc in ('default_profile', 'track_shell_file_upload_usage', 'track_ai_processing_usage');
-- Under a key a user calls what it may call without one, as itself.
insert into rpc_rule (rpc, owner, probe, subject, is_mute) values
  ('call_once', true, $$ public.call_once('walk', 'submit_job', jsonb_build_object('p_kind', 'echo', 'p_payload', '{"a": 1}'::jsonb, 'p_owner', {id})) $$,
   'select user_id as id from public.user_profiles where id = {profile}', true);
-- The ticket itself is the right: tests/sql/streams. Reading by ticket goes on in maintenance, as reading by token does.
insert into rpc_rule (rpc, anyone, owner, service, goes_on) values ('read_with_ticket', true, true, true, true);
