select plan(14);
create function pg_temp.as_user(p_sub text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', p_sub)::text, false)
$$;
create function pg_temp.detail_of(p_statement text) returns jsonb language plpgsql as $$
declare v_detail text;
begin
  execute p_statement;
  return null;
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return jsonb_build_object('code', sqlstate) || coalesce(nullif(v_detail, '')::jsonb, '{}');
end $$;
select set_config('mill.now', '2030-01-01 12:00+00', false);
insert into public.documents (id, owner, title)
select ('00000000-0000-4000-8000-0000000000' || to_char(n, 'FM00'))::uuid, '00000000-0000-4000-8000-0000000000a1', 'D' || n from generate_series(1, 12) n;
select pg_temp.as_user('00000000-0000-4000-8000-0000000000a1');
create temp view ids as select array_agg(id order by id) as ids from public.documents;

select is(public.request_export_batch((select ids[1:10] from ids)) ->> 'total', '10', 'ten documents are a batch');
select throws_ok('select public.request_export_batch((select ids[1:11] from ids))', 'GM004', 'a batch has 1 to 10 documents', 'a batch of eleven documents is refused');
select throws_ok($$ select public.request_export_batch('{}') $$, 'GM004', null, 'a batch without documents is refused');

update mill.settings set value = '11' where key = 'exports.daily_limit';
select is(pg_temp.detail_of('select public.request_export_batch((select ids[11:12] from ids))'),
  '{"code": "GM052", "used": 10, "limit": 11, "retry_after": 43200}', 'the day has its limit, and says when it ends');
select is((select count(*)::int from mill.export), 10, 'nothing of a refused batch remains');

update mill.queue set depth_limit = 10 where queue = 'exports';
select is(pg_temp.detail_of('select public.request_export((select ids[11] from ids))'), '{"code": "GM006", "retry_after": 30}', 'a full queue says when to come back');
update mill.queue set depth_limit = null where queue = 'exports';

insert into mill.export_file (path, export_id, attempt, owner, size, created_at)
select 'x/' || e.id, e.id, 1, e.owner, 10485760, now() from mill.export e;
select is(pg_temp.detail_of('select public.request_export((select ids[11] from ids))'),
  '{"code": "GM051", "used": 104857600, "limit": 104857600}', 'full storage says how full');

select throws_like('select public.request_export((select ids[11] from ids))', '%DELETE /v1/exports/{id}/file%', 'a refusal for full storage says how to free storage');
update mill.export_file f set state = 'stored', expires_at = mill.now() + interval '1 day';
insert into mill.export_history (id, user_id, version, template, file_name, file_path, file_size, page_count, expires_at, created_at)
select f.export_id, f.owner, 1, 'minimal', 'D.pdf', f.path, f.size, 1, f.expires_at, mill.now() from mill.export_file f;
select is(public.delete_export_file((select min(id::text)::uuid from mill.export)) -> 'file', null, 'a deleted file is not shown any more');
select is(mill.export_storage_used('00000000-0000-4000-8000-0000000000a1'), 94371840::bigint, 'a deleted file takes up no storage at once');
select lives_ok('select public.delete_export_file((select min(id::text)::uuid from mill.export))', 'the file of an export may be deleted twice');
select pg_temp.as_user('00000000-0000-4000-8000-0000000000a2');
select throws_ok('select public.delete_export_file((select max(id::text)::uuid from mill.export))', 'GM050', null, 'a stranger deletes nothing');
select pg_temp.as_user('00000000-0000-4000-8000-0000000000a1');

select throws_ok(format('select public.download_export_batch(%L)', (select id from mill.export_batch)), 'GM055', null, 'an unfinished batch has no ZIP');
select is(pg_temp.detail_of(format('select public.download_export_batch(%L)', (select id from mill.export_batch))),
  '{"code": "GM055", "done": 0, "total": 10}', 'a refused ZIP says how far its batch is');
select * from finish();
