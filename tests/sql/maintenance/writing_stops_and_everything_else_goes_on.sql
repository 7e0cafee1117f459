select plan(9);
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
create temp table job as select (public.submit_job('echo', '{"a": 1}') ->> 'id')::uuid as id;
select is(public.set_maintenance(true, 'moving house', 90), true, 'the flag is set');
select throws_matching($$ select public.submit_job('echo', '{"a": 1}') $$, 'GM022', 'a user''s write is refused');
create function pg_temp.refusal(out state text, out detail text) language plpgsql as $$
begin
  perform public.submit_job('echo', '{"a": 1}');
exception when others then get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
end $$;
select is((select (r.detail::jsonb, r.state)::text from pg_temp.refusal() r), $$("{""status"": 503, ""headers"": {""Retry-After"": ""90""}}",PGRST)$$, 'a refusal for maintenance is a 503 with Retry-After');
select is((select public.get_job(id) ->> 'state' from job), 'pending', 'reading goes on');
select is((select count(*) from mill.claim('w', array['default'], 10)), 1::bigint, 'jobs go on in maintenance');
select is((select status from mill.settle('w', (select jsonb_build_array(jsonb_build_object('id', id, 'attempt', 1, 'outcome', 'completed')) from job))), 'accepted', 'jobs that run are settled in maintenance');
select is(public.set_maintenance(false, 'moved'), false, 'the flag is taken back');
select is(public.submit_job('echo', '{"a": 1}') ->> 'status', 'new', 'writing goes on after maintenance');
select results_eq($$ select new_values::text, reason, actor::text from mill.audit_log where record_id = 'maintenance.enabled' order by id $$,
  $$ values ('"true"', 'moving house', '11111111-1111-4111-8111-111111111111'), ('"false"', 'moved', '11111111-1111-4111-8111-111111111111') $$, 'who set it and why is in the audit log');
select * from finish();
