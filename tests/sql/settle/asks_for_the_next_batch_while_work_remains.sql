select plan(3);
update mill.queue set batch_size = 2 where queue = 'default';
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb)) from generate_series(1, 3)));
create temp table batch as
select i.id as invocation, j.* from mill.invocation i,
  jsonb_to_recordset(public.claim_jobs('w', array['default'], 2, null, i.id)) as j(id uuid, attempt int);
select public.settle_jobs('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed')) from batch),
  (select distinct invocation from batch));
select is((select array_agg(reason order by asked_at) from mill.invocation), array['wake', 'more'], 'one more invocation is asked for');
select is((select count(*) from mill.invocation where ended_at is not null), 1::bigint, 'the first has ended');
create temp table rest as
select i.id as invocation, j.* from (select id from mill.invocation where begun_at is null) i,
  jsonb_to_recordset(public.claim_jobs('w', array['default'], 2, null, i.id)) as j(id uuid, attempt int);
select public.settle_jobs('w', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'completed')) from rest),
  (select distinct invocation from rest));
select is((select count(*) from mill.invocation), 2::bigint, 'no further invocation is asked for when no job is left');
select * from finish();
