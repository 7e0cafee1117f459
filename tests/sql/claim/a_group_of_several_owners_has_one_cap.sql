select plan(2);
insert into mill.queue (queue, max_running_per_group, dequeue) values ('grouped', 2, 'fair');
insert into mill.kind (kind, queue) values ('g', 'grouped');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'g', 'payload', '{"a": 1}'::jsonb, 'group_key', 'shared', 'owner', o))
  from unnest(array['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222', '33333333-3333-3333-3333-333333333333']) o, generate_series(1, 5)));
select is((select count(*) from mill.claim('w', array['grouped'], 100)), 2::bigint, 'the cap is the group''s');
select is_empty($$ select * from mill.claim('w', array['grouped'], 100) $$, 'a second owner of the group gets no cap of its own');
select * from finish();
