select plan(17);
set mill.now = '2030-01-01 00:00+00';
insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute, tokens_per_minute, concurrent_requests) values ('p', 'e', 5, 2000, 3);
select throws_ok($$ insert into mill.queue (queue, provider, endpoint) values ('nolimit', 'p', 'nope') $$, '23503', null, 'a queue cannot name a limit that does not exist');
insert into mill.queue (queue, provider, endpoint) values ('limited', 'p', 'e'), ('other', 'p', 'e');
insert into mill.kind (kind, queue) values ('limited', 'limited'), ('other', 'other');
create function pg_temp.add(p_kind text, p_tokens int, p_count int) returns void language sql as $$
  select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', p_kind, 'payload', jsonb_build_object('estimated_tokens', p_tokens))) from generate_series(1, p_count))) $$;
create function pg_temp.claimed(p_queue text, p_max int) returns int language sql as $$ select count(*)::int from mill.claim('w', array[p_queue], p_max) $$;
create function pg_temp.settle(p_outcome text, p_usage jsonb default null) returns void language sql as $$
  select mill.settle('w', jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', id, 'attempt', attempt, 'outcome', p_outcome, 'usage', p_usage)))) from mill.job_live where state = 'processing' $$;

select pg_temp.add('limited', 100, 10);
select pg_temp.add('other', 100, 10);
select is(pg_temp.claimed('limited', 10), 3, 'no more than there are slots');
select is(pg_temp.claimed('other', 10), 0, 'another queue of the same provider shares its slots');
select is((select max(attempt) from mill.job_live where state = 'pending'), 0, 'what was not claimed has lost no attempt');
select pg_temp.settle('completed');
select is(pg_temp.claimed('other', 10), 2, 'settling gives the slots back; then the requests of the minute are used up');
select pg_temp.settle('snoozed');
select is(pg_temp.claimed('other', 10), 0, 'a job that came back has made its request all the same');
set mill.now = '2030-01-01 00:01+00';
select is(pg_temp.claimed('limited', 2), 2, 'a minute later there is room again');
select pg_temp.settle('released', '{"requests": 0, "tokens": 0}');
select is((select requests from mill.api_capacity_left(mill.api_limit('p', 'e'), mill.now())), 5::bigint, 'a worker that made no call says so and gives everything back');
select is((select tokens from mill.api_capacity_left(mill.api_limit('p', 'e'), mill.now())), 2000::bigint, 'tokens too');

select is(pg_temp.claimed('limited', 1), 1, 'one is claimed');
set mill.now = '2030-01-01 00:30+00';
select is((select slots from mill.api_capacity_left(mill.api_limit('p', 'e'), mill.now())), 3, 'a worker that died holds no slot past its lease');
select mill.tick();
select mill.cancel(array(select id from mill.job_live));
set mill.now = '2030-01-01 00:40+00';
select pg_temp.add('limited', 900, 1);
select pg_temp.add('limited', 1500, 1);
select pg_temp.add('limited', 100, 1);
select is(pg_temp.claimed('limited', 10), 1, 'tokens are weighed in order: the large one waits, and nothing overtakes it');
select pg_temp.settle('completed', '{"requests": 1, "tokens": 10}');
select is(pg_temp.claimed('limited', 10), 2, 'what the first did not use lets the others in');
select pg_temp.settle('completed');
set mill.now = '2030-01-01 00:50+00';
select pg_temp.add('limited', 2001, 1);
select pg_temp.add('limited', 1, 1);
select is(pg_temp.claimed('limited', 10), 1, 'one that never fits does not stand in the way');
select is((select error ->> 'type' from mill.job_dead), 'over_limit', 'a job that never fits the limit is a dead letter that says why');
select is((select action from mill.audit_log where table_name = 'job' and action = 'dead'), 'dead', 'a job that never fits the limit is in the audit log');
update mill.api_rate_limits set status = 'maintenance' where provider_name = 'p';
select is(pg_temp.claimed('other', 10), 0, 'a provider in maintenance is not called');
select * from finish();
