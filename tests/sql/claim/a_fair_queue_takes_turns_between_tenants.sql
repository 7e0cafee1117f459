select plan(6);
insert into mill.queue (queue, dequeue) values ('fair', 'fair');
insert into mill.kind (kind, queue) values ('f', 'fair');
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'f', 'payload', '{"a": 1}'::jsonb, 'group_key', 'big')) from generate_series(1, 2000)));
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'f', 'payload', '{"a": 1}'::jsonb, 'group_key', 'small')) from generate_series(1, 10)));
create temp table first as select * from mill.claim('w', array['fair'], 20);
select is((select count(*) from first where group_key = 'small'), 10::bigint, 'ten jobs are done with the first twenty');
select is((select count(*) from mill.claim('w', array['fair'], 50)), 50::bigint, 'when one tenant has no jobs left, the others get every claim');

-- One owner over many keys against another with one key.
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'f', 'payload', '{"a": 1}'::jsonb, 'group_key', 'key ' || n % 50,
  'owner', '11111111-1111-1111-1111-111111111111')) from generate_series(1, 500) n));
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'f', 'payload', '{"a": 1}'::jsonb, 'group_key', 'one',
  'owner', '22222222-2222-2222-2222-222222222222')) from generate_series(1, 500)));
create temp table turns as select * from mill.claim('w', array['fair'], 300);
select is((select array_agg(distinct n) from (select count(*) as n from turns group by owner) x), array[100::bigint], 'three tenants, a third each: splitting over many keys gains nothing');

-- A tenant that idled comes back without credit.
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'f', 'payload', '{"a": 1}'::jsonb, 'group_key', 'small')) from generate_series(1, 500)));
create temp table later as select * from mill.claim('w', array['fair'], 400);
select is((select count(*) from later where group_key = 'small'), 100::bigint, 'idling earns no credit');
select is((select count(*) from mill.claim('w', array['fair'], 1000)), 1000::bigint, 'a big claim is filled');
select is((select count(*) from mill.job where state = 'processing' and queue = 'fair'), 1770::bigint, 'a big claim takes no job twice');
select * from finish();
