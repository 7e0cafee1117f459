select plan(19);
set mill.now = '2030-01-01 00:00+00';
select mill.maintain();
set request.jwt.claims = '{"role": "service_role"}';
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'name', n, 'payload', '{"a": 1}'::jsonb, 'owner', '11111111-1111-4111-8111-111111111111')) from unnest(array['a', 'b', 'c', 'd']) n));
create temp table held as select * from mill.claim('w', array['default'], 10);
create function pg_temp.id(p_name text) returns uuid language sql as $$ select id from held where name = p_name $$;
create function pg_temp.lease(p_name text, p_logs jsonb, p_more jsonb default '{}') returns jsonb language sql as $$
  select jsonb_build_array(jsonb_build_object('id', pg_temp.id(p_name), 'attempt', 1, 'logs', p_logs) || p_more) $$;
select public.heartbeat_jobs('w', pg_temp.lease('a', '[{"at": "2030-01-01T00:00:01Z", "level": "debug", "message": "one", "data": {"x": 1}}, {"message": "two"}]'));
select public.settle_jobs('w', pg_temp.lease('a', '[{"level": "error", "message": "three"}]', '{"outcome": "failed", "delay_seconds": 0}'));
select is((select jsonb_agg(l - 'at') from jsonb_array_elements(public.get_job_logs(pg_temp.id('a'))) l),
  '[{"n": 1, "attempt": 1, "level": "debug", "message": "one", "data": {"x": 1}}, {"n": 2, "attempt": 1, "level": "info", "message": "two", "data": null}, {"n": 3, "attempt": 1, "level": "error", "message": "three", "data": null}]',
  'lines of heartbeats and outcomes are kept in order');
select is((select array_agg(at) from mill.job_log where job = pg_temp.id('a')), array['2030-01-01 00:00:01+00', '2030-01-01 00:00+00', '2030-01-01 00:00+00']::timestamptz[], 'lines are kept with their time, or that of Postgres');
select is(jsonb_path_query_array(public.get_job_logs(pg_temp.id('a'), 2), '$[*].n'), '[3]', 'a reader may ask for what came after a line');
select public.heartbeat_jobs('w', pg_temp.lease('a', '[{"message": "late"}]'));
select public.settle_jobs('zombie', pg_temp.lease('b', '[{"message": "not mine"}]', '{"outcome": "completed"}'));
select is((select count(*) from mill.job_log where message in ('late', 'not mine')), 0::bigint, 'lines of a lost lease are dropped');
select mill.claim('w2', array['default'], 1);
select public.settle_jobs('w2', jsonb_build_array(jsonb_build_object('id', pg_temp.id('a'), 'attempt', 2, 'outcome', 'completed', 'logs', '[{"message": "again"}]'::jsonb)));
select is((select string_agg(message || attempt, ' ' order by n) from mill.job_log where job = pg_temp.id('a')), 'one1 two1 three1 again2', 'a retry goes on in the same log, also when it completes');

set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
set role authenticated;
select is(jsonb_array_length(public.get_job_logs((select (public.get_job_logs(null) -> 0 ->> 'x')::uuid))), 0, 'no job has no lines');
reset role;
select is(jsonb_array_length(public.get_job_logs(pg_temp.id('a'))), 4, 'the owner of a job reads its log');
set request.jwt.claims = '{"role": "authenticated", "sub": "22222222-2222-4222-8222-222222222222"}';
select is(public.get_job_logs(pg_temp.id('a')), '[]', 'another user does not');
set request.jwt.claims = '{"role": "service_role"}';

select public.heartbeat_jobs('w', pg_temp.lease('b', (select jsonb_agg(jsonb_build_object('message', 'm' || n)) from generate_series(1, 990) n)));
select public.heartbeat_jobs('w', pg_temp.lease('b', (select jsonb_agg(jsonb_build_object('message', 'x')) from generate_series(1, 15))));
select is((select count(*) from mill.job_log where job = pg_temp.id('b') and left_out is null), 1000::bigint, 'a job has at most 1,000 lines');
select is((public.get_job_logs(pg_temp.id('b'), 1000) -> 0) - 'at', '{"n": 1001, "attempt": 1, "level": "warn", "message": "5 lines were left out", "data": {"left_out": 5}}', 'the last one says how many are left out');
select public.settle_jobs('w', pg_temp.lease('b', '[{"message": "y"}, {"message": "z"}]', '{"outcome": "dead"}'));
select is(public.get_job_logs(pg_temp.id('b'), 1000) -> 0 -> 'data', '{"left_out": 7}', 'lines past the limit go on being counted');
select public.heartbeat_jobs('w', pg_temp.lease('c', (select jsonb_agg(jsonb_build_object('message', repeat('é', 4000), 'data', '{"a": 1}'::jsonb)) from generate_series(1, 20) n)));
select ok((select sum(bytes) between 57344 and 65536 and max(octet_length(message)) between 4090 and 4096 from mill.job_log where job = pg_temp.id('c')), 'a job has at most 64 KiB, and a message is cut to 4 KiB');
select public.heartbeat_jobs('w', pg_temp.lease('d', '["just text", {"level": "loud", "at": "never", "data": [1]}, 7]'));
select is((select string_agg(level || ':' || message || coalesce(data::text, ''), ' ' order by n) from mill.job_log where job = pg_temp.id('d')), 'info:just text info: info:7', 'what is malformed in part is kept in part');
select is(public.heartbeat_jobs('w', pg_temp.lease('d', '"nonsense"')) #>> '{0,status}', 'held', 'a malformed line holds nothing back');

select mill.discard(array[pg_temp.id('b')]);
select is((select count(*) from mill.job_log where job = pg_temp.id('b')), 0::bigint, 'the log of a dead letter goes when it is discarded');
set mill.now = '2030-01-05 00:00+00';
select mill.maintain();
select is((select count(*) from mill.job_log where job = pg_temp.id('a')), 4::bigint, 'the log of an ended job stays as long as the job');
set mill.now = '2030-01-20 00:00+00';
select mill.maintain();
select is((select count(*) from mill.job_log where job = pg_temp.id('a')), 0::bigint, 'the log of a job is deleted with the job');
select is((select count(*) from mill.job where id = pg_temp.id('a')), 0::bigint, 'an ended job is deleted when its time is over');
select ok((select count(*) > 0 from mill.job_log where job = pg_temp.id('c')), 'logs of live jobs stay');
select * from finish();
