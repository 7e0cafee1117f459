select plan(7);
update mill.settings set value = '3' where key = 'idempotency.max_keys_per_user';
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
set mill.now = '2030-01-01 00:00+00';
select public.call_once('a', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}');
set mill.now = '2030-01-01 12:00+00';
select public.call_once(k, 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') from unnest(array['b', 'c']) k;
select throws_ok($$ select public.call_once('d', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, 'GM082', null, 'a user with as many keys as allowed gets no further one');
select lives_ok($$ select public.call_once('a', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, 'the keys that the user has are good as before');
select lives_ok($$ select public.submit_job('echo', '{"a": 1}') $$, 'without a key the user creates as before');
create temp table told (detail jsonb);
do $$
declare v_detail text;
begin
  perform public.call_once('d', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}');
exception when sqlstate 'GM082' then
  get stacked diagnostics v_detail = pg_exception_detail;
  insert into told values (v_detail::jsonb);
end $$;
select is((select detail from told), '{"limit": 3, "retry_after": 43200}', 'the user is told when the oldest key expires');
set mill.now = '2030-01-02 00:00:01+00';
select lives_ok($$ select public.call_once('d', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, 'when the oldest key has expired there is room for another');
set request.jwt.claims = '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}';
select lives_ok($$ select public.call_once('d', 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') $$, 'another user has keys of its own');
reset role;
set request.jwt.claims = '{"role": "service_role"}';
select lives_ok($$ select public.call_once('s' || n, 'submit_job', '{"p_kind": "echo", "p_payload": {"a": 1}}') from generate_series(1, 5) n $$, 'the service is not bounded');
select * from finish();
