select plan(43);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
-- Live, dead, done and packed jobs.
create temp table made as
select e.ordinal, e.id from mill.enqueue('[
  {"kind": "echo", "payload": {"user_id": 42, "items": ["x", {"sku": "a b"}], "big": 12345678901234567890}, "name": "welcome", "group_key": "acme", "correlation_id": "c-1", "priority": 9},
  {"kind": "echo", "payload": {"user_id": 43}, "owner": "00000000-0000-4000-8000-0000000000aa"},
  {"kind": "echo", "payload": {"user_id": "42", "nothing": null}, "run_at": "2099-01-01"},
  {"kind": "echo", "payload": {"user_id": 44, "percent": "100%", "back\\slash": true}, "name": "<img src=x onerror=alert(1)>"},
  {"kind": "echo", "payload": {"user_id": 45}, "name": "שלום"}]') e;
create temp table id as select max(id::text) filter (where ordinal = 0) as first, max(id::text) filter (where ordinal = 3) as dead, max(id::text) filter (where ordinal = 4) as done from made;
update mill.queue set paused = true where queue = 'default';
update mill.job_live j set priority = 50 from made m where m.id = j.id and m.ordinal in (3, 4);
update mill.queue set paused = false where queue = 'default';
select mill.claim('w', array['default'], 1000);
select mill.settle('w', jsonb_build_array(
  jsonb_build_object('id', dead, 'attempt', 1, 'outcome', 'dead', 'error', '{"type": "card_declined", "message": "no 100% luck for \"bo\" <b>"}'::jsonb),
  jsonb_build_object('id', done, 'attempt', 1, 'outcome', 'completed', 'result', '{"ok": true}'::jsonb))) from id;
create temp table packed as select u.id, u.place from unnest(mill.enqueue_many('echo', (select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 250) n))) with ordinality u(id, place);

create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a', 'gristmill_role', p_role)::text, false) $$;
create function pg_temp.users(p_search text) returns text language sql as $$
  select coalesce(string_agg(coalesce((select payload ->> 'user_id' from mill.job j where j.id = (r ->> 'id')::uuid), 'packed'), ' ' order by o), '')
  from jsonb_array_elements(public.console_jobs(p_search) -> 'jobs') with ordinality as e(r, o) where r ->> 'id' not in (select id::text from packed) $$;
select pg_temp.as_role('operator');

select is(pg_temp.users(''), '', 'without a search the newest come first, which are packed');
select is(pg_temp.users('payload.user_id=43'), '43', 'a field of the payload is found');
select is(pg_temp.users('payload.user_id=42'), '42 42', 'a number is found as a number and as text, newest first');
select is(pg_temp.users('payload.user_id="42"'), '42 42', 'a quoted number is compared as text');
select is(pg_temp.users('payload.user_id=42.0'), '42', 'a number is compared as a number');
select is(pg_temp.users('payload.big=12345678901234567890'), '42', 'a number larger than JavaScript''s is found exactly');
select is(pg_temp.users('payload.big=12345678901234567891'), '', 'a number that differs in its twentieth digit is another');
select is(pg_temp.users('payload.items.1.sku="a b"'), '42', 'an item of a list is found by its place');
select is(pg_temp.users('payload.nothing=null'), '42', 'null is found');
select is(pg_temp.users('payload.percent=100%'), '44', 'a percent sign is a character');
select is(pg_temp.users('payload.user_id!=42 state:live,failed -name:welcome name:"<img src=x onerror=alert(1)>"'), '44', 'markup in a name is text');
select is(pg_temp.users('name:שלום'), '45', 'right-to-left text is found');
select is(pg_temp.users('name:wel*'), '42', 'a star at the end finds a beginning');
select is(pg_temp.users('name:"wel*"'), '', 'a star in quotes is a star');
select is(pg_temp.users('name:%'), '', 'a percent sign is no wildcard');
select is(pg_temp.users('state:failed'), '44', 'dead letters are found');
select is(pg_temp.users('state:dead'), '44', 'dead is a word for failed');
select is(pg_temp.users('state:completed'), '45', 'completed jobs are found');
select is(pg_temp.users('state:waiting'), '42', 'waiting is a word for deferred and retrying');
select is(pg_temp.users('state:processing,failed group:acme'), '42', 'values with commas are any of them, and terms hold together');
select is(pg_temp.users('error:declined'), '44', 'an error is found by a part of its type');
select is(pg_temp.users('error:"100% luck"'), '44', 'an error is found by a part of its message');
select is(pg_temp.users('LUCK'), '44', 'a bare word looks into messages, whatever its case');
select is(pg_temp.users('owner:00000000-0000-4000-8000-0000000000aa'), '43', 'the jobs of an owner are found');
select is(pg_temp.users('correlation:c-1'), '42', 'the jobs of a correlation id are found');
select is(pg_temp.users('worker:w state:processing priority:>8'), '42', 'worker and priority are found');
select is((select pg_temp.users('id:' || first) from id), '42', 'an id is found');
select is((select pg_temp.users(first) from id), '42', 'a bare UUID is an id');
select is((select pg_temp.users('id:' || left(first, 8) || '* payload.user_id=43') from id), '43', 'the beginning of an id is found');
select is(pg_temp.users('since:1h until:2000-01-01'), '', 'nothing was enqueued before 2000');
select is(pg_temp.users('since:1h payload.user_id=43'), '43', 'what was enqueued in the last hour is found');
select is(pg_temp.users('-payload.user_id=42 -state:pending -state:deferred'), '45 44 43', 'a minus turns a term around');
select is((select public.console_jobs('payload.n=137') #>> '{jobs,0,id}'), (select id::text from packed where place = 137), 'a job in a pack is found by its payload');
select is((select public.console_jobs('id:' || id) #>> '{jobs,0,state}' from packed where place = 7), 'pending', 'a job in a pack is found by its id');
select is(public.console_jobs('queue:default kind:echo state:pending') #>> '{jobs,0,payload_columns}', '{}', 'payloads are not listed');
select is(public.console_jobs('payload.user_id=43 column:payload.user_id') #>> '{jobs,0,payload_columns,payload.user_id}', null, 'a column of a masked payload is empty');
update mill.kind set sensitive = false where kind = 'echo';
select is(public.console_jobs('payload.user_id=43 column:payload.user_id') #>> '{jobs,0,payload_columns,user_id}', '43', 'a column shows a field of a payload that is not masked');
update mill.kind set sensitive = true where kind = 'echo';

-- Masked values cannot be guessed by searching for them.
select pg_temp.as_role('viewer');
select is(pg_temp.users('payload.user_id=43'), '', 'a viewer does not find masked payloads by their values');
select matches(public.console_jobs('payload.user_id=43') #>> '{notes,0}', 'Masked payloads are not searched', 'a viewer learns that masked payloads were not searched');
update mill.kind set sensitive = false where kind = 'echo';
select is(pg_temp.users('payload.user_id=43'), '43', 'a viewer finds payloads that are shown by their values');

-- The walk goes on where it stopped, sees each job once, and ends.
create temp table page as
with recursive walk as (
  select 1 as n, public.console_jobs('kind:echo', null, 40) as got
  union all
  select w.n + 1, public.console_jobs('kind:echo', w.got ->> 'cursor', 40) from walk w where not (w.got ->> 'done')::boolean and w.n < 20)
select w.n, j.row ->> 'id' as id from walk w cross join lateral jsonb_array_elements(w.got -> 'jobs') as j(row);
select is((select count(*) || ' of ' || count(distinct id) from page), '255 of 255', 'pages together have each job once');
select is((select max(n) from page), 7, 'the walk ends with the last job');
select is(public.console_jobs('kind:echo payload.n=250', null, 1) -> 'done', 'false'::jsonb, 'with as many as were asked for there may be more');
select * from finish();
