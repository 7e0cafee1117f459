-- What a job is started with is checked at the door, and says which documents are written.
select plan(14);
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000a"}', false);
create function pg_temp.refused(p_params jsonb) returns text language plpgsql as $$
declare v_detail text;
begin
  perform public.start_workflow('nuclear_v2', p_params);
  return 'started';
exception when sqlstate 'GM070' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail::jsonb ->> 'field';
end $$;

select is(pg_temp.refused('{"person1": {"name": "No date", "born": "never"}}'), 'params.person1.born', 'a date that is none is refused with its field');
select is(pg_temp.refused('{"person1": {"name": "Old", "born": "1066-10-14"}}'), 'params.person1.born', 'a year without an ephemeris is refused');
select is(pg_temp.refused('{"person2": {"born": "1990-01-01"}}'), 'params.person2.name', 'a person without a name is refused');
select is(pg_temp.refused('{"person1": {"name": "A", "born": "1990-01-01", "time": "25:00", "zone": "UTC"}}'), 'params.person1.time', 'an hour that no clock shows is refused');
select is(pg_temp.refused('{"person1": {"name": "A", "born": "1990-01-01", "time": "10:00"}}') like 'params.person1%', true, 'an hour without a zone or a place is refused');
select is(pg_temp.refused('{"person1": {"name": "A", "born": "1990-01-01", "place": {"latitude": 91, "longitude": 0}}}'), 'params.person1.place.latitude', 'a place off the globe is refused');
select is(pg_temp.refused('{"systems": ["western", "tarot"]}'), 'params.systems.1', 'a system that is not calculated is refused');
select is(pg_temp.refused('{"systems": []}'), 'params.systems', 'no system at all is refused');
select is(pg_temp.refused('{"audio": "wav"}'), 'params.audio', 'another sound than MP3 and M4A is refused');
select is_empty('select from mill.workflow', 'what was refused has left nothing');

select is(pg_temp.refused('{"systems": ["vedic", "western"], "person1": {"name": "A", "born": "1990-01-01", "time": "10:00", "zone": "Europe/London"}}'), 'started', 'a good job is started');
select is((select docs_total from mill.workflow), 7, 'two systems make six documents and a verdict');
select is((select array_agg(distinct t.value ->> 'system' order by t.value ->> 'system') from mill.task t where t.key = 'text'), array['vedic', 'verdict', 'western'],
  'of the systems that were chosen');
select is((public.start_workflow('nuclear_v2', '{"systems": ["vedic"], "documents": [{"system": "western", "about": "both"}]}', p_idempotency_key => 'k') ->> 'new')
  || (public.start_workflow('nuclear_v2', '{"systems": ["vedic"], "documents": [{"system": "western", "about": "both"}]}', p_idempotency_key => 'k') ->> 'new'),
  'truefalse', 'documents that were given are left as they are, and the same call finds its job again');
select * from finish();
