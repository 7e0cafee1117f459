select plan(18);
set mill.now = '2026-11-18 12:00+00';
set role service_role;
create function pg_temp.nightly(p_schedule jsonb default '{}', p_force boolean default false) returns jsonb language sql as $$
  select public.register_jobs(jsonb_build_object(
    'kinds', jsonb_build_array('{"kind": "report", "queue": "reports", "schema": {"type": "object", "required": ["of"]}}'::jsonb),
    'schedules', jsonb_build_array('{"schedule": "nightly", "kind": "report", "payload": {"of": "all"}, "cron": "30 2 * * *", "time_zone": "Europe/Paris"}'::jsonb || p_schedule)), p_force) $$;
select is(pg_temp.nightly() - 'queues' - 'kinds', '{"kept": [], "schedules": [{"schedule": "nightly", "status": "created"}]}', 'a schedule is created beside its kind');
select is(pg_temp.nightly() -> 'schedules', '[{"schedule": "nightly", "status": "unchanged"}]', 'the same definition changes nothing');
select is(jsonb_path_query_first(public.list_schedules('nightly'), '$[0].next_due'), '"2026-11-19T01:30:00+00:00"', 'a schedule is due at the next time that clocks in its zone show');
select is(pg_temp.nightly('{"cron": "0 3 * * *", "overlap": "queue"}') -> 'schedules', '[{"schedule": "nightly", "status": "updated"}]', 'a changed definition is written');
select is(jsonb_path_query_first(public.list_schedules('nightly'), '$[0].next_due'), '"2026-11-19T02:00:00+00:00"', 'the next due time of a changed definition is computed anew');
select is(public.save_schedule('{"schedule": "nightly", "cron": "0 5 * * *", "priority": 7}') -> 'cron', '"0 5 * * *"', 'an operator changes it');
select is(jsonb_path_query_array(pg_temp.nightly('{"cron": "0 4 * * *", "priority": 9, "catch_up": "all"}') -> 'kept', '$[*].field'), '["cron", "priority"]',
  'what the operator has changed is kept and listed');
select results_eq($$ select s ->> 'cron', s ->> 'priority', s ->> 'catch_up' from jsonb_array_elements(public.list_schedules('nightly')) s $$,
  $$ values ('0 5 * * *', '7', 'all') $$, 'fields of a schedule that no operator has changed are written');
select is(pg_temp.nightly('{"cron": "0 4 * * *"}', true) -> 'kept', '[]', 'with force every field of a schedule is written');
select is(pg_temp.nightly('{"cron": null, "every_seconds": 3600}', true) -> 'schedules', '[{"schedule": "nightly", "status": "updated"}]', 'an expression is replaced by an interval');
select is(jsonb_path_query_first(public.list_schedules('nightly'), '$[0].next_due'), '"2026-11-18T13:00:00+00:00"', 'the due times of an interval of hours fall on full hours');
select is(public.save_schedule('{"schedule": "byhand", "kind": "report", "payload": {"of": "me"}, "every_seconds": 60}') ->> 'is_registered', 'false', 'an operator makes one');
select throws_ok($$ select public.register_jobs('{"schedules": [{"schedule": "byhand", "kind": "report", "payload": {"of": "me"}, "every_seconds": 60}]}') $$, 'GM012', null,
  'a definition may not take over the schedule of an operator');
create function pg_temp.refusal(p_schedule jsonb) returns text language plpgsql as $$
declare v_detail text;
begin
  perform public.register_jobs(jsonb_build_object('schedules', jsonb_build_array('{"schedule": "bad", "kind": "report", "payload": {"of": "all"}}'::jsonb || p_schedule)));
  return 'registered';
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return sqlstate || ' ' || v_detail;
end $$;
select is(array(select pg_temp.refusal(d) from unnest(array['{"cron": "61 * * * *"}', '{"cron": "0 0 30 2 *"}', '{"cron": "0 0 * * *", "time_zone": "Mars/Olympus"}', '{}',
    '{"cron": "0 0 * * *", "every_seconds": 5}', '{"every_seconds": 0}', '{"every_seconds": "often"}', '{"every_seconds": 5, "overlap": "both"}', '{"every_seconds": 5, "often": 1}']::jsonb[]) with ordinality as x(d, n) order by n),
  array['GM013 /schedules/0/cron', 'GM013 /schedules/0/cron', 'GM013 /schedules/0/time_zone', 'GM013 /schedules/0', 'GM013 /schedules/0', 'GM013 /schedules/0', 'GM013 /schedules/0',
    'GM013 /schedules/0', 'GM013 /schedules/0/often'], 'a definition that cannot be run is refused with its place');
select is(pg_temp.refusal('{"every_seconds": 5, "kind": "nothing"}'), 'GM013 /schedules/0', 'a schedule of an unknown kind is refused with its place');
select is(pg_temp.refusal('{"every_seconds": 5, "payload": {"other": 1}}'), 'GM011 job 0, field /of', 'a schedule whose payload does not fit the schema of the kind is refused with its place');
select is(array(select z from unnest(array['UTC', 'Europe/Paris', 'America/Port-au-Prince', 'Etc/GMT+5', 'Mars/Olympus', 'Mars/Olympus5', 'EST5EDT', 'PST', '+02', '']) with ordinality as a(z, n) where pg_temp.refusal(jsonb_build_object('cron', '0 0 * * *', 'time_zone', z, 'schedule', 'zone' || n)) = 'registered' order by n), '{UTC,Europe/Paris,America/Port-au-Prince,Etc/GMT+5}', 'only names of the time zone data are time zones');
reset role;
select is((select count(*) from mill.job_schedule where schedule = 'bad'), 0::bigint, 'nothing of a refused definition is written');
select * from finish();
