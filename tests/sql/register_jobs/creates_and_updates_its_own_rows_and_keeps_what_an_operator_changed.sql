select plan(22);
set role service_role;
create function pg_temp.mail(p_queue jsonb default '{}', p_kind jsonb default '{}', p_force boolean default false) returns jsonb language sql as $$
  select public.register_jobs(jsonb_build_object(
    'queues', jsonb_build_array('{"queue": "mail", "url": "https://example.com/jobs", "max_parallel": 8}'::jsonb || p_queue),
    'kinds', jsonb_build_array('{"kind": "send_email", "queue": "mail", "max_attempts": 8, "schema": {"type": "object", "required": ["to"], "properties": {"to": {"type": "string"}}},
      "unique": {"by": ["to"], "within_seconds": 3600}}'::jsonb || p_kind)), p_force) $$;
select is(pg_temp.mail() - 'unanswered', '{"queues": [{"queue": "mail", "status": "created"}], "kinds": [{"kind": "send_email", "status": "created"}], "kept": []}', 'a queue and a kind are created');
select is(pg_temp.mail() - 'unanswered', '{"queues": [{"queue": "mail", "status": "unchanged"}], "kinds": [{"kind": "send_email", "status": "unchanged"}], "kept": []}', 'the same definition changes nothing');
reset role;
select results_eq($$ select served_by, url, function, max_parallel, batch_size, part from mill.queue where queue = 'mail' $$,
  $$ values ('function', 'https://example.com/jobs', null, 8, 50, null) $$, 'with a url the queue is served by a function; options that are left out have their defaults');
select results_eq($$ select queue, max_attempts, unique_by, unique_within_seconds, open_to_users from mill.kind where kind = 'send_email' $$,
  $$ values ('mail', 8, '{to}'::text[], 3600, false) $$, 'the kind has what was asked for');
set role service_role;
select is(pg_temp.mail('{"max_parallel": "9", "batch_size": 20}', '{"max_attempts": null, "unique": null}') - array['kept', 'unanswered'],
  '{"queues": [{"queue": "mail", "status": "updated"}], "kinds": [{"kind": "send_email", "status": "updated"}]}', 'a changed definition is written');
reset role;
select results_eq($$ select q.max_parallel, q.batch_size, k.max_attempts, k.unique_by from mill.queue q join mill.kind k using (queue) where q.queue = 'mail' $$,
  $$ values (9, 20, null::int, null::text[]) $$, 'a changed definition is written as it was asked for, and null takes an option away');

update mill.queue set max_parallel = 2 where queue = 'mail';
update mill.kind set max_attempts = 3 where kind = 'send_email';
set role service_role;
select is(pg_temp.mail('{"max_parallel": 16, "batch_size": 30}') -> 'kept', '[{"queue": "mail", "field": "max_parallel", "value": 2, "asked": 16}, {"kind": "send_email", "field": "max_attempts", "value": 3, "asked": 8}]',
  'what an operator has changed is kept and listed');
reset role;
select results_eq($$ select max_parallel, batch_size from mill.queue where queue = 'mail' $$, $$ values (2, 30) $$, 'fields that no operator has changed are written');
set role service_role;
select is(pg_temp.mail('{"max_parallel": 2, "batch_size": 30}', '{"max_attempts": 3}') -> 'kept', '[]', 'asking for what the operator has chosen is no conflict');
select is(pg_temp.mail('{"max_parallel": 16}', p_force => true) -> 'kept', '[]', 'with force everything is written');
reset role;
select results_eq($$ select q.max_parallel, k.max_attempts from mill.queue q join mill.kind k using (queue) where q.queue = 'mail' $$, $$ values (16, 8) $$, 'with force an operator''s change is overwritten');
update mill.queue set url = null, function = 'processor' where queue = 'mail';
set role service_role;
select is(jsonb_path_query_array(pg_temp.mail('{"url": "https://example.com/other"}'), '$.kept[*].field'), '["function", "url"]', 'function and url are kept together');
reset role;

set role service_role;
select is(public.register_jobs('{"kinds": [{"kind": "resize", "queue": "pictures"}]}'), '{"queues": [{"queue": "pictures", "status": "created"}], "kinds": [{"kind": "resize", "status": "created"}], "kept": []}',
  'a queue that a kind names is created');
select is(public.register_jobs('{"kinds": [{"kind": "resize", "queue": "pictures"}]}') -> 'queues', '[]', 'a queue that a kind names is left alone when it is there');
reset role;
select is((select served_by from mill.queue where queue = 'pictures'), 'external', 'such a queue is left to workers of your own');
set role service_role;
select throws_ok($$ select public.register_jobs('{"queues": [{"queue": "default", "max_parallel": 1}]}') $$, 'GM012', null, 'a queue of Gristmill is refused');
select throws_ok($$ select public.register_jobs('{"kinds": [{"kind": "echo", "queue": "default"}]}', true) $$, 'GM012', null, 'a kind of Gristmill is refused, also with force');

create function pg_temp.refusal(p_definition jsonb) returns text language plpgsql as $$
declare v_detail text;
begin
  perform public.register_jobs(p_definition);
  return 'registered';
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return sqlstate || ' ' || v_detail;
end $$;
select is(pg_temp.refusal('{"queues": [{"queue": "good"}, {"queue": "bad", "batchsize": 1}]}'), 'GM013 /queues/1/batchsize', 'an unknown option is refused with its place');
select is(pg_temp.refusal('{"queues": [{"queue": "bad", "batch_size": 0}]}'), 'GM013 /queues/0', 'an option with a value out of range is refused with its place');
select is(pg_temp.refusal('{"kinds": [{"kind": "bad", "queue": "mail", "unique": {"by": "to"}}]}'), 'GM013 /kinds/0/unique', 'a unique whose fields are no list is refused with its place');
select is(pg_temp.refusal('{"kinds": [{"kind": "bad", "queue": "mail", "schema": {"properties": {"a": {"unevaluatedItems": false}}}}]}'),
  'GM013 /kinds/0/schema/properties/a/unevaluatedItems', 'a schema with an unsupported keyword is refused with its place');
reset role;
select is((select count(*) from mill.queue where queue in ('good', 'bad')), 0::bigint, 'nothing of a refused definition is written');
select * from finish();
