select plan(3);
begin;
select mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]');
rollback;
select is_empty('select * from net.http_request_queue', 'rolled back, nothing is sent');
drop schema net cascade;
create schema net;
create function net.http_post(url text, body jsonb, headers jsonb, timeout_milliseconds int) returns bigint
language plpgsql as $$ begin raise exception 'broken'; end $$;
select is((select status from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]')), 'new', 'the enqueue succeeds');
select is((select code from mill.event), 'wake_failed', 'the failure of a wake-up is on record');
select * from finish();
