select plan(9);
set mill.now = '2030-01-01 00:00+00';
update mill.queue set max_attempts = 100 where queue = 'default';
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
create function pg_temp.attempts(p_count int, p_outcome text, p_owner uuid) returns void language sql as $$
  select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb, 'owner', p_owner)) from generate_series(1, p_count)));
  select mill.settle('w', jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', p_outcome, 'delay_seconds', 86400,
    'error', jsonb_build_object('message', 'x', 'retryable', p_outcome <> 'dead')))) from mill.claim('w', array['default'], p_count);
$$;
create function pg_temp.state() returns text language sql as $$
  select mill.judge_breakers();
  select b.state from mill.breaker b where b.target = 'processor'
$$;
select pg_temp.attempts(60, 'dead', '00000000-0000-0000-0000-00000000000a');
select is(pg_temp.state(), 'closed', 'sixty payloads that no retry can cure say nothing about the target');
select pg_temp.attempts(30, 'dead', null);
select is(pg_temp.state(), 'closed', 'whoever sent them');
select pg_temp.attempts(60, 'failed', '00000000-0000-0000-0000-00000000000a');
select is(pg_temp.state(), 'closed', 'the failures of one tenant open nothing');
select pg_temp.attempts(4, 'failed', '00000000-0000-0000-0000-00000000000b');
select is(pg_temp.state(), 'closed', 'one tenant with a few failures of another beside them opens no breaker');
select pg_temp.attempts(40, 'completed', '00000000-0000-0000-0000-00000000000b');
select pg_temp.attempts(6, 'failed', '00000000-0000-0000-0000-00000000000b');
select is(pg_temp.state(), 'closed', 'one failing tenant opens no breaker while the others mostly succeed');
select pg_temp.attempts(60, 'failed', '00000000-0000-0000-0000-00000000000c');
select is(pg_temp.state(), 'open', 'the failures of several tenants open it');

set mill.now = '2030-01-01 00:02+00';
select pg_temp.state();
create temp table probe as select mill.invoke('default', 'pump') as id;
select public.claim_jobs('p', array['default'], 1, null, (select id from probe));
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "owner": "00000000-0000-0000-0000-00000000000a"}]');
select public.claim_jobs('p', array['default'], 1, null, (select id from probe));
select pg_temp.state();
create temp table second as select mill.invoke('default', 'pump') as id;
select public.claim_jobs('p', array['default'], 1, null, (select id from second));
select public.settle_jobs('p', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'failed', 'delay_seconds', 86400)) from mill.job where worker = 'p' and state = 'processing'), (select id from second));
select is(pg_temp.state(), 'half_open', 'a probe that failed for one tenant alone does not open it again');
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}, "owner": "00000000-0000-0000-0000-00000000000a"}]');
create temp table third as select mill.invoke('default', 'pump') as id;
select isnt((select id from third), null, 'another probe may go');
set mill.now = '2030-01-01 00:03:10+00';
update mill.breaker set changed_at = mill.now(), probe = null;
create temp table fourth as select mill.invoke('default', 'pump') as id;
select public.claim_jobs('p', array['default'], 1, null, (select id from fourth));
select public.settle_jobs('p', (select jsonb_agg(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', 'dead')) from mill.job where worker = 'p' and state = 'processing'), (select id from fourth));
select is(pg_temp.state(), 'closed', 'a probe whose job was refused for good was answered: the target is well');
select * from finish();
