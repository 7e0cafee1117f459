select plan(18);
create function pg_temp.as_user(p_claims jsonb) returns void language sql as $$
  select set_config('request.jwt.claims', (jsonb_build_object('role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a') || p_claims)::text, false) $$;
create function pg_temp.role_of(p_claims jsonb) returns text language plpgsql as $$
begin
  perform pg_temp.as_user(p_claims);
  return mill.console_role();
end $$;

select is(pg_temp.role_of('{}'), null, 'a signed-in user has no role');
select is(pg_temp.role_of('{"app_metadata": {"gristmill_role": "viewer"}}'), 'viewer', 'app_metadata of Supabase gives the role');
select is(pg_temp.role_of('{"gristmill_role": "operator"}'), 'operator', 'a claim of the token itself gives the role');
select is(pg_temp.role_of('{"app_metadata": {"gristmill_role": "viewer"}, "gristmill_role": "admin"}'), 'viewer', 'app_metadata comes before the claim of the token');
select is(pg_temp.role_of('{"user_metadata": {"gristmill_role": "admin"}}'), null, 'user_metadata, which users write, gives no role');
select is(pg_temp.role_of('{"app_metadata": {"gristmill_role": "root"}}'), null, 'an unknown role is none');
select is(pg_temp.role_of('{"role": "anon", "gristmill_role": "admin"}'), null, 'anon never has a role');
select is(pg_temp.role_of('{"role": "service_role"}'), 'admin', 'the service is an admin');
select set_config('request.headers', '{"x-gristmill-console-role": "viewer", "x-gristmill-actor": "ana@example.com"}', false);
select is(pg_temp.role_of('{"role": "service_role"}'), 'viewer', 'the service may say that it acts with a lower role');
select is(mill.console_actor() ->> 'email', 'ana@example.com', 'the service may say for whom it acts');
select is(pg_temp.role_of('{"gristmill_role": "viewer", "email": "bo@example.com"}'), 'viewer', 'a header of anybody else gives no role');
select is(mill.console_actor() ->> 'email', 'bo@example.com', 'a header of anybody else names nobody');
select set_config('request.headers', '', false);

update mill.settings set value = 'app_metadata.teams.jobs' where key = 'console.role_claim';
select is(pg_temp.role_of('{"app_metadata": {"teams": {"jobs": "admin"}}}'), 'admin', 'the setting console.role_claim names another claim');
select is(pg_temp.role_of('{"app_metadata": {"gristmill_role": "admin"}}'), null, 'with the setting the usual claim does not count');
update mill.settings set value = 'user_metadata.gristmill_role' where key = 'console.role_claim';
select is(pg_temp.role_of('{"user_metadata": {"gristmill_role": "admin"}}'), null, 'user_metadata gives no role when the setting names it');
update mill.settings set value = '' where key = 'console.role_claim';

select pg_temp.as_user('{"gristmill_role": "viewer"}');
set role authenticated;
select throws_ok($$ select public.console_pause('default', true, 'x') $$, '42501', 'this needs the console role operator; your token has the role viewer', 'a refusal says which role is needed and which is there');
select pg_temp.as_user('{"gristmill_role": "admin", "sub": "auth0|12"}');
select throws_ok($$ select public.console_start() $$, '42501', 'the sub of your token is not a UUID, so the audit log could not name you', 'a token whose sub the audit log cannot name is refused');
reset role;
set role anon;
select set_config('request.jwt.claims', '{"role": "anon"}', false);
select throws_ok($$ select public.console_start() $$, '42501', 'permission denied for function console_start', 'nobody opens the console without signing in');
reset role;
select * from finish();
