select plan(23);
create function pg_temp.ailing() returns text[] language sql as $$
  select coalesce(array_agg(c ->> 'name'), '{}') from jsonb_array_elements(public.health_report() -> 'checks') c where not (c ->> 'ok')::boolean $$;
create function pg_temp.firing() returns text[] language sql as $$
  select array_agg(a.rule || ' ' || a.subject order by a.rule, a.subject) from mill.alert a where a.state = 'firing' $$;
select mill.record_heartbeat(name) from mill.schedule;
select is(pg_temp.ailing(), '{}', 'all is well');

revoke execute on function public.claim_jobs(text, text[], int, text[], uuid, boolean) from service_role;
select is(pg_temp.ailing(), array['installation'], 'health: claim_jobs is not granted');
select mill.judge_alerts();
select is(pg_temp.firing(), array['installation_damaged installation'], 'alert: claim_jobs is not granted');
grant execute on function public.claim_jobs(text, text[], int, text[], uuid, boolean) to service_role;
select mill.judge_alerts();
select is(pg_temp.firing(), null, 'the alert is over once the grant is back');
begin;
  drop function mill.settle(text, jsonb);
  select is(pg_temp.ailing(), array['installation'], 'health: mill.settle is missing');
rollback;
begin;
  drop index mill.one_open_alert_a_subject;
  select is(pg_temp.ailing(), array['installation'], 'health: an index is missing');
rollback;
begin;
  alter table mill.queue disable trigger user;
  select is(pg_temp.ailing(), array['installation'], 'health: triggers are switched off');
rollback;
begin;
  alter table public.quotes disable row level security;
  select is(pg_temp.ailing(), array['installation'], 'health: row level security is off');
rollback;

-- Where nothing can be written, that alone is named, and no alert can be.
begin read only;
  select is(pg_temp.ailing(), array['writing'], 'health in a database that is read-only');
rollback;
begin read only;
  select is((select c #>> '{details,0}' from jsonb_array_elements(public.health_report() -> 'checks') c where c ->> 'name' = 'writing'), 'the database is read-only', 'a read-only database says why it is not well');
rollback;

-- A function that has served is looked after; one that never did is not.
set mill.now = '2030-01-01 00:00+00';
select is(mill.probe_functions(), 0, 'a function that has never served is not probed');
insert into mill.invocation (id, queue, reason, asked_at, begun_at, ended_at) values (mill.uuid7(), 'default', 'wake', mill.now(), mill.now(), mill.now());
select is(mill.probe_functions(), 0, 'a function that served a moment ago is not probed');
set mill.now = '2030-01-01 00:00:20+00';
select is(mill.probe_functions(), 1, 'one that has rested for 20 seconds is probed');
select is(mill.probe_functions(), 0, 'a function that was just probed is not probed again');
update mill.invocation set ended_at = mill.now(), failure = 'answered 403' where ended_at is null;
set mill.now = '2030-01-01 00:00:25+00';
select is(mill.probe_functions(), 1, 'after a failure it is probed at the next tick');
update mill.invocation set ended_at = mill.now(), failure = 'answered 403' where ended_at is null;
set mill.now = '2030-01-01 00:00:30+00';
select mill.probe_functions();
update mill.invocation set ended_at = mill.now(), failure = 'answered 403' where ended_at is null;
select mill.judge_alerts();
select is((select array_agg(a.subject) from mill.alert a where a.rule = 'invocations_failing' and a.state = 'firing'), array['default'], 'three failures in a row are an alert, 30 seconds after the last good one');
set mill.now = '2030-01-01 00:00:35+00';
select is(mill.probe_functions(), 0, 'after its alert a function is probed every 20 seconds again');

-- Storage is asked over HTTP; the answers are written here by hand.
create function pg_temp.answer(p_status int) returns void language sql as $$
  delete from net.http_request_queue;
  insert into net._http_response (id, status_code, created)
  select (h.detail ->> 'request')::bigint, p_status, now() from mill.heartbeat h where h.part = 'probe_storage' and h.detail ? 'request';
  select mill.probe_addresses() $$;
select mill.probe_addresses();
select pg_temp.answer(502);
set mill.now = '2030-01-01 00:02+00'; select mill.probe_addresses(); select pg_temp.answer(502);
set mill.now = '2030-01-01 00:03+00'; select mill.probe_addresses();
select is((select count(*) from mill.silent_addresses()), 0::bigint, 'a storage that has never answered is no fault');
select pg_temp.answer(200);
set mill.now = '2030-01-01 00:03:30+00'; select mill.probe_addresses(); select pg_temp.answer(502);
select is((select count(*) from mill.silent_addresses()), 0::bigint, 'one failure is none either');
set mill.now = '2030-01-01 00:03:35+00'; select mill.probe_addresses(); select pg_temp.answer(502);
select is((select array_agg(a.name || ': ' || a.failure) from mill.silent_addresses() a where a.name = 'storage'), array['storage: answered 502'], 'after two failures storage is silent, five seconds later');
select mill.judge_alerts();
select ok('address_silent storage' = any (pg_temp.firing()), 'alert: storage does not answer');
set mill.now = '2030-01-01 00:04:10+00'; select mill.probe_addresses(); select pg_temp.answer(200);
select is((select count(*) from mill.silent_addresses() where name = 'storage'), 0::bigint, 'the alert about storage is over with the first good answer');

reset mill.now;
update mill.alert_rule set threshold = 0 where rule = 'snapshot_held'; -- this test holds one itself, if not for long
begin;
  select mill.judge_alerts();
  select ok(exists (select from mill.alert a where a.rule = 'snapshot_held' and a.state = 'firing'), 'alert: a snapshot is held for long');
commit;
select * from finish();
