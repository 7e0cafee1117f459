select plan(12);
set mill.now = '2030-01-01 00:00+00';
insert into mill.queue (queue, served_by, max_running) values ('mine', 'external', 2);
insert into mill.kind (kind, queue) values ('mine', 'mine'), ('other', 'mine');
set role service_role;
create function pg_temp.outcomes(p_jobs jsonb, p_outcome text, p_more jsonb default '{}') returns jsonb language sql as $$
  select jsonb_agg(jsonb_build_object('id', j -> 'id', 'attempt', j -> 'attempt', 'outcome', p_outcome) || p_more) from jsonb_array_elements(p_jobs) j $$;
select public.enqueue_jobs((select jsonb_agg(jsonb_build_object('kind', 'mine', 'payload', jsonb_build_object('n', n))) from generate_series(1, 5) n));
create temp table answer (step int, body jsonb);
insert into answer values (1, public.settle_and_claim('w', '[]', array['mine'], 10));
select is((select jsonb_array_length(body -> 'jobs') from answer where step = 1), 2, 'without outcomes it claims, within the cap of the queue');
insert into answer values (2, public.settle_and_claim('w', (select pg_temp.outcomes(body -> 'jobs', 'completed', '{"result": 7}') from answer where step = 1), array['mine'], 10));
select is((select body -> 'settled' from answer where step = 2),
  (select jsonb_agg(jsonb_build_object('id', j -> 'id', 'status', 'accepted')) from answer, jsonb_array_elements(body -> 'jobs') j where step = 1), 'each outcome is answered');
select is((select jsonb_agg(j #> '{payload,n}' order by j #> '{payload,n}') from answer, jsonb_array_elements(body -> 'jobs') j where step = 2), '[3, 4]', 'the places of the settled jobs are free for the next ones');
insert into answer values (3, public.settle_and_claim('w', (select pg_temp.outcomes(body -> 'jobs', 'completed') from answer where step = 1), array['mine'], 10));
select is((select jsonb_path_query_array(body, '$.settled[*].status') from answer where step = 3), '["lost", "lost"]', 'a repeated settlement is lost');
select is((select body -> 'jobs' from answer where step = 3), '[]', 'settle_and_claim claims nothing past the cap');
select is(public.settle_and_claim('w', '[]', array['mine'], 10, p_leave_external => true) -> 'jobs', '[]', 'a worker of ours leaves external queues alone');

insert into answer values (4, public.settle_and_claim('w', (
  select pg_temp.outcomes(body -> 'jobs', 'released', '{"delay_seconds": 60, "error": {"type": "unknown_kind", "message": "no handler"}}') from answer where step = 2), array['mine'], 10));
reset role;
select results_eq($$ select state, attempt, run_at, error ->> 'type' from mill.job_live where payload ->> 'n' in ('3', '4') $$,
  $$ values ('deferred', 0, '2030-01-01 00:01+00'::timestamptz, 'unknown_kind'), ('deferred', 0, '2030-01-01 00:01+00', 'unknown_kind') $$,
  'released with a delay waits, without using up an attempt, and says why');
set role service_role;
insert into answer values (5, public.settle_and_claim('w', (select pg_temp.outcomes(body -> 'jobs', 'released') from answer where step = 4), array['mine'], 10, array['other']));
select is((select body #> '{settled,0,status}' from answer where step = 5), '"accepted"', 'released without a delay is accepted');
select is((select body -> 'jobs' from answer where step = 5), '[]', 'kinds that were not asked for are not claimed');
select is((select jsonb_agg(j #> '{payload,n}') from jsonb_array_elements(public.settle_and_claim('w2', '[]', array['mine'], 10) -> 'jobs') j), '[5]', 'and the released one is pending');

select throws_ok($$ select public.settle_and_claim('w', (select jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'attempt', 1, 'outcome', 'completed')) from generate_series(1, 1001)), array['mine'], 1) $$,
  'GM005', null, 'more than a thousand outcomes are refused');
select throws_ok($$ select public.settle_and_claim('', '[]', array['mine'], 1) $$, 'GM004', null, 'a worker needs a name');
select * from finish();
