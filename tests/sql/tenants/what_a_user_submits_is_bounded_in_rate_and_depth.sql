select plan(15);
create function pg_temp.refusal(p_sql text, out code text, out status int, out retry_after text, out message text) language plpgsql as $$
declare v_message text; v_detail text; v_state text;
begin
  execute p_sql;
  code := 'none';
exception when others then
  get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail, v_state = returned_sqlstate;
  if v_state <> 'PGRST' then raise exception '% %', v_state, v_message; end if;
  code := v_message::json ->> 'code';
  message := v_message::json ->> 'message';
  status := (v_detail::json ->> 'status')::int;
  retry_after := v_detail::json -> 'headers' ->> 'Retry-After';
end $$;
update mill.settings set value = '5' where key = 'users.jobs_per_minute';
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
select is((public.submit_job('echo', jsonb_build_object('n', n)) ->> 'status'), 'new', 'job ' || n || ' of the five that a minute allows is taken') from generate_series(1, 5) n;
create temp table refused as select * from pg_temp.refusal($$ select public.submit_job('echo', '{"a": 1}') $$);
select is(code || ' ' || status, 'GM015 429', 'the sixth job of a minute is refused with GM015 and 429') from refused;
select is(retry_after, '12', 'Retry-After says when the next job will be taken') from refused;
select is(message, 'you may cause 5 jobs per minute', 'the message says what the bound is') from refused;
set request.jwt.claims = '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}';
select is((public.submit_job('echo', '{"a": 1}') ->> 'status'), 'new', 'another user is not refused for what the first one did');
reset role;
set request.jwt.claims = '{"role": "service_role"}';
select is((select count(*) from generate_series(1, 20) n cross join lateral public.submit_job('echo', jsonb_build_object('n', n), p_owner => '33333333-3333-4333-8333-333333333333')), 20::bigint,
  'what the service submits for a user is not counted');

-- Depth: also jobs that are deferred or running.
update mill.settings set value = '1000' where key = 'users.jobs_per_minute';
update mill.settings set value = '8' where key = 'users.live_jobs_per_queue';
set request.jwt.claims = '{"role": "authenticated", "sub": "44444444-4444-4444-8444-444444444444"}';
set role authenticated;
select is((select count(*) from generate_series(1, 8) n cross join lateral public.submit_job('echo', jsonb_build_object('n', n), p_run_at => now() + n * interval '1 day')), 8::bigint,
  'eight live jobs are what this test allows a user');
select is((pg_temp.refusal($$ select public.submit_job('echo', '{"a": 1}') $$)).code, 'GM015', 'deferred jobs count towards the live jobs of a user');
reset role;
select mill.cancel(array(select id from mill.job_live where owner = '44444444-4444-4444-8444-444444444444' limit 1));
set role authenticated;
select is((public.submit_job('echo', '{"a": 1}') ->> 'status'), 'new', 'the end of one job makes room for another');

-- Keys and groups of a user lie in the name space of that user.
reset role;
update mill.settings set value = '100' where key = 'users.live_jobs_per_queue';
set role authenticated;
select public.submit_job('echo', '{"a": 1}', p_name => 'high', p_priority => 100, p_group_key => 'g'), public.submit_job('echo', '{"a": 1}', p_name => 'low', p_priority => -3);
reset role;
select is((select array_agg(priority order by name) from mill.job_live where name in ('high', 'low')), array[5, -3], 'a user may put a job behind others and not ahead of them');
select is((select group_key from mill.job_live where name = 'high'), '44444444-4444-4444-8444-444444444444:g', 'the group of a user''s job is the user''s own, so that nobody uses up the cap of another''s group');
select * from finish();
