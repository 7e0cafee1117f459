select plan(34);
update mill.queue set dequeue = 'priority' where queue = 'default'; -- fair by default, which has no packs and an index of what runs
set mill.now = '2030-01-01 00:00+00';
create function pg_temp.one(p_more jsonb default '{}') returns uuid language sql as $$
  select e.id from mill.enqueue(jsonb_build_array('{"kind": "echo", "payload": {"a": 1}}'::jsonb || p_more)) e $$;
create function pg_temp.codes(p_id uuid) returns text language sql as $$
  select string_agg(r ->> 'code', ' ' order by o) from jsonb_array_elements(mill.explain_job(p_id) -> 'reasons') with ordinality as e(r, o) $$;
create function pg_temp.said(p_id uuid, p_code text) returns text language sql as $$
  select r ->> 'sentence' from jsonb_array_elements(mill.explain_job(p_id) -> 'reasons') r where r ->> 'code' = p_code $$;
-- The pump has just run.
insert into mill.heartbeat (part, at) select s.name, mill.now() from mill.schedule s on conflict (part) do update set at = excluded.at;
insert into mill.queue (queue, served_by) values ('own', 'external'), ('heavy', 'worker');
insert into mill.queue (queue, served_by, function) values ('quiet', 'function', 'quiet');
insert into mill.kind (kind, queue) values ('own', 'own'), ('heavy', 'heavy'), ('quiet', 'quiet');

-- A function-served queue.
create temp table job as select pg_temp.one() as id;
select is(pg_temp.codes(id), 'invoked', 'a job whose function was just called says so') from job;
select matches(pg_temp.said(id, 'invoked'), 'called at 2030-01-01 00:00:00 UTC and has not claimed', 'invoked says when') from job;
update mill.invocation set ended_at = mill.now(), failure = 'answered 500';
select is(pg_temp.codes(id), 'invocation_failed', 'a failed call is named') from job;
select matches(pg_temp.said(id, 'invocation_failed'), 'answered 500. Look into the log', 'a failed call has its failure and says where to look') from job;
delete from mill.invocation;
select is(pg_temp.codes(id), 'ready', 'a job that nothing holds back is ready') from job;

update mill.queue set paused = true where queue = 'default';
select is(pg_temp.codes(id), 'queue_paused', 'a paused queue is named') from job;
create temp table advice as select substring(pg_temp.said(id, 'queue_paused') from 'run: (select .*);$') as command from job;
do $$ begin execute (select command from advice); end $$;
select is((select paused from mill.queue where queue = 'default'), false, 'the statement in the sentence of a paused queue lets it go on');
delete from mill.invocation;

insert into mill.breaker (target, state, reason, changed_at, retry_at) values ('processor', 'open', '30 of 55 attempts failed', mill.now(), mill.now() + interval '30 seconds');
select is(pg_temp.codes(id), 'breaker_open', 'an open breaker is named') from job;
select matches(pg_temp.said(id, 'breaker_open'), '30 of 55 attempts failed.*before 2030-01-01 00:00:30 UTC', 'an open breaker says why and until when') from job;
update mill.breaker set state = 'half_open', retry_at = null;
select is(pg_temp.codes(id), 'breaker_probing', 'a half-open breaker is named') from job;
delete from mill.breaker;

insert into mill.invocation (id, queue, reason, asked_at, begun_at) select mill.uuid7(), 'default', 'wake', mill.now(), mill.now() from generate_series(1, 4);
select is(pg_temp.codes(id), 'all_invocations_busy', 'a queue with all invocations at work is named') from job;
select matches(pg_temp.said(id, 'all_invocations_busy'), '^4 of 4 invocations', 'busy invocations are counted') from job;
delete from mill.invocation;

create temp table url as select value from mill.settings where key = 'functions.base_url';
delete from mill.settings where key = 'functions.base_url';
select is(pg_temp.codes(id), 'cannot_invoke', 'functions that cannot be called are named') from job;
select matches(pg_temp.said(id, 'cannot_invoke'), 'the setting functions.base_url is missing. Run gristmill configure', 'what is missing to call functions is named') from job;
insert into mill.settings (key, value, type, description) select 'functions.base_url', value, 'string', 'x' from url;

set mill.now = '2030-01-01 00:10+00';
select is(pg_temp.codes(id), 'pump_silent', 'a pump that does not run is named') from job;
select matches(pg_temp.said(id, 'pump_silent'), 'last ran 600 s ago.*gristmill doctor', 'a silent pump says since when, and what to run') from job;
set mill.now = '2030-01-01 00:00+00';

-- What stands before it.
create temp table urgent as select pg_temp.one('{"priority": 9}') as id from generate_series(1, 3);
create temp table last as select pg_temp.one() as id;
delete from mill.invocation;
select is(pg_temp.codes(id), 'behind_others', 'a job behind others says so') from last;
select matches(pg_temp.said(id, 'behind_others'), '^4 due jobs of the queue default', 'jobs of higher priority and older ones are counted') from last;
select is(pg_temp.codes(id), 'ready', 'the first of the highest priority is behind none') from (select id from urgent order by id limit 1) u;
select mill.enqueue_many('quiet', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 60) n));
create temp table packed as select e.id from mill.enqueue('[{"kind": "quiet", "payload": {"a": 1}}]') e;
delete from mill.invocation;
select matches(pg_temp.said(id, 'behind_others'), '^60 due jobs', 'jobs in packs are counted') from packed;
select is(mill.explain_job(p.id) ->> 'state', 'pending', 'a job in a pack is explained') from mill.packed_job p limit 1;

-- Caps.
update mill.queue set max_running = 1 where queue = 'default';
select mill.claim('w', array['default'], 1);
select is(split_part(pg_temp.codes(id), ' ', 1), 'queue_at_cap', 'a queue at its cap is named first') from last;
select matches(pg_temp.said(id, 'queue_at_cap'), '^1 of 1 jobs', 'a cap is counted') from last;
update mill.queue set max_running = null, max_running_per_group = 1, dequeue = 'fair' where queue = 'default';
create temp table grouped as select pg_temp.one('{"group_key": "acme"}') as id from generate_series(1, 2);
select mill.claim('w', array['default'], 100);
delete from mill.invocation;
select is(split_part(pg_temp.codes(j.id), ' ', 1), 'group_at_cap', 'a group at its cap is named first') from mill.job_live j where j.group_key = 'acme' and j.state = 'pending';
select matches(pg_temp.said(j.id, 'group_at_cap'), '^1 of 1 jobs of the group acme run', 'the group at its cap is named') from mill.job_live j where j.group_key = 'acme' and j.state = 'pending';
update mill.queue set max_running_per_group = null where queue = 'default';
create temp table turn as select pg_temp.one('{"group_key": "beta"}') as id from generate_series(1, 3);
delete from mill.invocation;
select is(pg_temp.codes(id), 'its_turn', 'a job of a fair queue waits for its turn') from (select id from turn order by id desc limit 1) t;
select matches(pg_temp.said(id, 'its_turn'), '2 jobs of the same tenant or group go before this one', 'the jobs of its own tenant are counted') from (select id from turn order by id desc limit 1) t;

-- Workers.
create temp table heavy as select e.id from mill.enqueue('[{"kind": "heavy", "payload": {"a": 1}}]') e;
select is(pg_temp.codes(id), 'kind_unserved', 'a kind that no worker has asked for is named') from heavy;
update mill.kind set first_asked_at = mill.now() where kind in ('heavy', 'own');
select matches(pg_temp.said(id, 'no_worker'), 'No worker has asked for jobs of the queue heavy yet. Start one: gristmill work', 'a queue without a worker says what to start') from heavy;
insert into mill.worker (worker, queues, first_seen_at, seen_at) values ('w', array['heavy'], mill.now() - interval '1 hour', mill.now() - interval '10 minutes');
select matches(pg_temp.said(id, 'no_worker'), 'since 2029-12-31 23:50:00 UTC', 'a worker that fell silent is dated') from heavy;
update mill.worker set seen_at = mill.now();
select is(pg_temp.codes(id), 'ready', 'a queue whose worker was just seen has nothing to report') from heavy;
create temp table own as select e.id from mill.enqueue('[{"kind": "own", "payload": {"a": 1}}]') e;
select matches(pg_temp.said(id, 'no_worker'), 'the worker of your own', 'an external queue is left to workers of your own') from own;

-- A provider's limit.
insert into mill.api_rate_limits (provider_name, api_endpoint, requests_per_minute, requests_per_hour, tokens_per_minute, tokens_per_hour, concurrent_requests)
values ('bank', 'x', 1, null, null, null, null);
update mill.queue set provider = 'bank', endpoint = 'x' where queue = 'own';
select mill.enqueue('[{"kind": "own", "payload": {"a": 2}}]');
select mill.claim('w', array['own'], 1);
select is(split_part(pg_temp.codes(j.id), ' ', 1), 'provider_full', 'a provider without capacity is named first') from mill.job_live j where j.queue = 'own' and j.state = 'pending';
select matches(pg_temp.said(j.id, 'provider_full'), '^The provider bank has no capacity left before 2030-01-01 00:0', 'a provider without capacity says until when') from mill.job_live j where j.queue = 'own' and j.state = 'pending';
select * from finish();
