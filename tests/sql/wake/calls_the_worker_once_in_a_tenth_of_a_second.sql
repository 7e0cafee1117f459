select plan(10);
set mill.now = '2030-01-01 00:00:00+00';
select mill.enqueue('[{"kind": "report_generation", "payload": {"a": 1}}]');
select is((select count(*) from net.http_request_queue), 0::bigint, 'without an address nobody is called');

insert into mill.settings (key, value) values ('worker.url', 'http://127.0.0.1:9');
select mill.enqueue('[{"kind": "report_generation", "payload": {"a": 1}}]');
select is((select url from net.http_request_queue), 'http://127.0.0.1:9/wake', 'an enqueue calls the worker');
select mill.enqueue_many('report_generation', '[{"a": 1}]');
select is((select count(*) from net.http_request_queue), 1::bigint, 'once: it looks again a tenth of a second later');
select mill.enqueue_many('fast_queue_ocr', '[{"a": 1}]');
select is((select count(*) from net.http_request_queue), 2::bigint, 'each queue for itself');
set mill.now = '2030-01-01 00:00:00.2+00';
select mill.enqueue_many('report_generation', '[{"a": 1}]');
select is((select count(*) from net.http_request_queue), 3::bigint, 'after that anew');

set mill.now = '2030-01-01 00:01:00+00';
select mill.claim('w', array['fast', 'standard'], 100);
select mill.enqueue('[{"kind": "report_generation", "payload": {"a": 1}, "run_at": "2030-01-01T00:02:00Z"}]');
select is((select count(*) from net.http_request_queue), 3::bigint, 'nobody is called for a job of the future');
update mill.queue set paused = true where queue = 'fast';
select mill.enqueue_many('fast_queue_ocr', '[{"a": 1}]');
select is((select count(*) from net.http_request_queue), 3::bigint, 'a job of a paused queue calls no worker');
set mill.now = '2030-01-01 00:02:00+00';
select mill.promote();
select mill.invoke_due();
select is((select count(*) from net.http_request_queue), 4::bigint, 'the pump calls for what became due');

select is((select count(*) from mill.invocation where ended_at is null), 0::bigint, 'the pump waits for no answer of the worker');
set mill.now = '2030-01-01 00:03:00+00';
drop schema net cascade;
create schema net;
create function net.http_post(url text, body jsonb, headers jsonb, timeout_milliseconds int) returns bigint
language plpgsql as $$ begin raise exception 'broken'; end $$;
select mill.enqueue_many('report_generation', '[{"a": 1}]');
select is((select detail ->> 'queue' from mill.event where code = 'wake_failed'), 'standard', 'a call that fails fails no enqueue');
select * from finish();
