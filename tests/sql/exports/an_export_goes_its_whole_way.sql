-- Asked for, made, downloaded, expired, cleaned up: what each step says to each caller.
select plan(34);
create function pg_temp.as_user(p_sub text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p_sub)::text, false)
$$;
create function pg_temp.at(p_time text) returns void language sql as $$ select set_config('mill.now', p_time, false) $$;
select pg_temp.at('2030-01-01 12:00+00');
insert into public.documents (id, owner, title, data) values
  ('00000000-0000-4000-8000-0000000000d1', '00000000-0000-4000-8000-0000000000a1', 'My resume', '{"basics": {"name": "A"}}'),
  ('00000000-0000-4000-8000-0000000000d2', '00000000-0000-4000-8000-0000000000a2', 'Not yours', '{"basics": {"name": "B"}}');
create temp table made (id uuid);

select pg_temp.as_user('00000000-0000-4000-8000-0000000000a1');
select throws_ok($$ select public.request_export('00000000-0000-4000-8000-0000000000d2') $$, 'GM050',
  'there is no such document, or it is not yours', 'a foreign document is one that does not exist');
select throws_ok($$ select public.request_export('00000000-0000-4000-8000-0000000000d1', 'gothic') $$, 'GM004', null, 'an unknown template is refused');
select throws_ok($$ select public.request_export('00000000-0000-4000-8000-0000000000d1', 'minimal', '{"margins": 3}') $$, 'GM004', null, 'margins over two inches are refused');
select throws_ok($$ select public.request_export('00000000-0000-4000-8000-0000000000d1', 'minimal', '{"page_size": "A3"}') $$, 'GM004', null, 'an unknown page size is refused');
insert into made select (public.request_export('00000000-0000-4000-8000-0000000000d1', 'modern', '{"pageSize": "Letter"}') ->> 'id')::uuid;
select is((public.request_export('00000000-0000-4000-8000-0000000000d1', 'modern', '{"page_size": "letter"}') ->> 'id')::uuid, (select id from made),
  'the same document, version and options pending is the same export');
select isnt((public.request_export('00000000-0000-4000-8000-0000000000d1', 'modern', '{}') ->> 'id')::uuid, (select id from made),
  'other options are another');
select is((select used from mill.export_day), 2, 'only new ones count against the day');
select is(public.get_export((select id from made)) ->> 'status', 'pending', 'a requested export is pending');
select throws_ok(format('select public.download_export(%L)', (select id from made)), 'GM055', 'there is no file yet', 'an export that waits has no file');

-- What was asked for is what is made, whatever becomes of the document.
update public.documents set title = 'Renamed', data = '{"basics": {"name": "Z"}}' where id = '00000000-0000-4000-8000-0000000000d1';
select is((select version from public.documents where id = '00000000-0000-4000-8000-0000000000d1'), 2, 'a change is a new version');
delete from public.documents where id = '00000000-0000-4000-8000-0000000000d1';
select is((select count(*)::int from mill.claim('w1', array['exports'], 1)), 1, 'a worker claims it');
select is(public.begin_export((select id from made), 'w1', 1) -> 'data' -> 'basics' ->> 'name', 'A', 'the worker gets the document as it was when the export was requested');
select is(public.begin_export((select id from made), 'w2', 1), null, 'another worker gets nothing');
select ok(public.report_export((select id from made), 'w1', 1, 50, 'rendering'), 'progress is taken from who holds it');
select ok(not public.report_export((select id from made), 'w1', 2, 60, 'rendering'), 'progress is not taken from another attempt');
select throws_ok(format('select public.reserve_export_file(%L, %L, 1, 104857601)', (select id from made), 'w1'), 'GM051', null, 'a file without room is refused');
select is(public.reserve_export_file((select id from made), 'w1', 1, 1000),
  format('00000000-0000-4000-8000-0000000000a1/exports/%s/1.pdf', (select id from made)), 'a file has its place below its owner');
select is(public.reserve_export_file((select id from made), 'w1', 1, 1000),
  format('00000000-0000-4000-8000-0000000000a1/exports/%s/1.pdf', (select id from made)), 'said twice is the same');
select ok(not public.finish_export((select id from made), 'w2', 1, (select path from mill.export_file), 'x.pdf', 1), 'a stranger finishes nothing');
select ok(public.finish_export((select id from made), 'w1', 1, (select path from mill.export_file), 'My resume.pdf', 2, 'A box stands in it.'), 'its worker does');
select ok(public.finish_export((select id from made), 'w1', 1, (select path from mill.export_file), 'My resume.pdf', 2), 'the worker may report the finished export twice');
select is(public.get_export((select id from made)) -> 'file' ->> 'pages', '2', 'a completed export has a file');
select is(public.get_export((select id from made)) ->> 'message', 'A box stands in it.', 'a completed export says what its owner should know of it');
select is(public.download_export((select id from made)) ->> 'name', 'My resume.pdf', 'a completed export can be downloaded');
select is((select format('%s %s', h.download_count, h.document_id is null) from mill.export_history h), '1 t', 'a download is counted although the document of the export is deleted');
select throws_ok(format('select public.cancel_export(%L)', (select id from made)), 'GM053', 'the export has ended already', 'what has ended cannot be cancelled');
select is((select jsonb_path_query_array(e -> 'events', '$[*].data.progress')::text from public.export_events((select id from made)) e),
  '[0, 25, 50, 75, 75, 100]', 'every step is an event, in order');
select is((select e -> 'ended' from public.export_events((select id from made)) e), 'true', 'the last event of an export says that it is the last');

-- Seven days later.
select pg_temp.at('2030-01-08 12:00:01+00');
select throws_ok(format('select public.download_export(%L)', (select id from made)), 'GM054', null, 'an expired file is gone, and says so');
select is(mill.cleanup_export_files(100) -> 'remove' ->> 0, (select path from mill.export_file), 'cleanup names the object');
select is((select count(*)::int from mill.export_history), 1, 'while the row is still there');
select is((mill.cleanup_export_files(100) -> 'remove') = jsonb_build_array((select path from mill.export_file)), true, 'a cleanup that crashed is done again');
select is(mill.confirm_export_files(array(select path from mill.export_file)) ->> 'removed', '1', 'after the object the row goes');
select is((select count(*)::int from mill.export_history) + (select count(*)::int from mill.event where code = 'export_files_not_removed'), 1,
  'nothing is left but the event of what could not be deleted at once');
select * from finish();
