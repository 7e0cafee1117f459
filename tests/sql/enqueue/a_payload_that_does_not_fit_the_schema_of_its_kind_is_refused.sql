select plan(13);
insert into mill.kind (kind, queue, open_to_users, max_attempts, schema) values ('mail', 'default', true, 9, '{"type": "object", "required": ["to"], "properties": {"to": {"type": "string", "minLength": 1}, "lines": {"items": {"type": "integer"}}}}');
create function pg_temp.refusal(p_statement text) returns text language plpgsql as $$
declare v_detail text;
begin
  execute p_statement;
  return 'fine';
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return concat_ws('|', sqlstate, sqlerrm, v_detail);
end $$;
select is(pg_temp.refusal($$ select mill.enqueue('[{"kind": "echo", "payload": {"to": 1}}, {"kind": "mail", "payload": {"to": "a", "lines": [1, "x"]}}]') $$),
  'GM011|the payload does not fit the schema of "mail": /lines/1 must be of the type integer|job 1, field /lines/1', 'the job and the field are named');
select is((select count(*) from mill.job), 0::bigint, 'nothing of the batch is written');
select is(pg_temp.refusal($$ select mill.enqueue_many('mail', '[{"to": "a"}, {"to": ""}]') $$), 'GM011|the payload does not fit the schema of "mail": /to must have at least 1 characters|job 1, field /to', 'enqueue_many refuses a payload that does not fit');
select is(pg_temp.refusal($$ select mill.enqueue('[{"kind": "mail", "payload": {"lines": []}, "dedupe_key": "k"}]') $$), 'GM011|the payload does not fit the schema of "mail": /to is missing|job 0, field /to', 'a payload that does not fit is refused with a dedupe key, too');
select is(pg_temp.refusal($$ select mill.enqueue('[{"kind": "mail", "payload": {}}]') $$), 'GM002|payload must be an object with at least one field|job 0', 'an empty payload is refused as ever');
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
set role authenticated;
select is(pg_temp.refusal($$ select public.submit_job('mail', '{"to": 5}') $$), 'GM011|the payload does not fit the schema of "mail": /to must be of the type string|job 0, field /to', 'a user who submits a job is told as well');
select is(public.submit_job('mail', '{"to": "a"}') ->> 'status', 'new', 'a payload that fits is enqueued');
reset role;
select set_config('request.jwt.claims', '', false);
select is((select max_attempts from mill.job_live), 9, 'a job has the attempts of its kind');
update mill.queue q set dequeue = 'priority' from mill.kind k where k.kind = 'mail' and q.queue = k.queue; -- a fair queue has no packs
select mill.enqueue_many('mail', (select jsonb_agg(jsonb_build_object('to', 'a')) from generate_series(1, 20)));
select is((select max_attempts from mill.pack), 9, 'so have packed jobs');
select mill.enqueue('[{"kind": "mail", "payload": {"to": "b"}, "max_attempts": 2}]');
select is((select max_attempts from mill.job_live where payload ->> 'to' = 'b'), 2, 'a job''s own come first');
select throws_ok($$ update mill.kind set schema = '{"type": 5}' where kind = 'mail' $$, 'GM013', null, 'a schema that is written by hand is checked too');
update mill.kind set schema = null where kind = 'mail';
select lives_ok($$ select mill.enqueue('[{"kind": "mail", "payload": {"to": 5}}]') $$, 'without a schema every payload fits');
select is((select compiled_schema from mill.kind where kind = 'mail'), null, 'no compiled form is left of a schema that was removed');
select * from finish();
